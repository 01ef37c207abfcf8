// The enrollment SDK's stand-in as a classic script. Defines `TxfeedSandbox.openForm`. The form is
// an ES module and can also be imported from `sdk/open-form.js`.
{
  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);
  const loading = import(new URL("sdk/open-form.js", src).href);
  Object.assign(globalThis, {
    TxfeedSandbox: {
      /** @param {import("./open-form.js").OpenFormParameters} parameters */
      openForm(parameters) {
        loading.then(
          ({ openForm }) => openForm(parameters),
          (error) => parameters.onError(error),
        );
      },
    },
  });
}
