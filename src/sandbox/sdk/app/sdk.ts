// The enrollment SDK's stand-in as a classic script. Defines `TxfeedSandbox.openForm`. The form is
// an ES module and can also be imported from `sdk/open-form.js`.
{
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) throw new Error("sdk.js must be a classic script");
  const form: Promise<typeof import("./open-form.ts")> = import(
    new URL("sdk/open-form.js", script.src).href
  );
  const openForm: typeof import("./open-form.ts").openForm = (parameters) => {
    form.then(
      ({ openForm: open }) => open(parameters),
      (error) => parameters.onError(error),
    );
  };
  Object.assign(globalThis, { TxfeedSandbox: { openForm } });
}
