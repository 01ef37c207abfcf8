/** A polyline: points in ascending order of x. */
export type Curve = readonly (readonly [x: number, y: number])[];

/** Interpolates a curve linearly at x; 0 outside its points. */
export function valueAt(curve: Curve, x: number): number {
  for (let at = 1; at < curve.length; at += 1) {
    const [x1, y1] = curve[at] as Curve[number];
    if (x > x1) continue;
    const [x0, y0] = curve[at - 1] as Curve[number];
    return x < x0 ? 0 : y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
  }
  return 0;
}
