const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

/** Whether a bank's text contains a day, in one of the formats that banks use. */
export function statesDay(text: string, day: string): boolean {
  const [year = "", month = "", date = ""] = day.split("-");
  const name = MONTHS[Number(month) - 1] ?? "";
  const ways = [
    ...[day, `${date}.${month}`, `${date}/${month}`, `${month}/${date}`, `${date}-${month}`],
    ...[`${date}${month}`, `${month}${date}`, `${date}${name}`, `${date} ${name}`],
    ...[`${date}${month}${year.slice(2)}`, `${date}${name}${year.slice(2)}`],
  ];
  const upper = text.toUpperCase();
  return ways.some((way) => {
    const at = upper.indexOf(way);
    return at >= 0 && !isDigit(upper[at - 1]) && !isDigit(upper[at + way.length]);
  });
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= "0" && letter <= "9";
}
