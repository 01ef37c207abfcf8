/** `npm run bench`: what README's figures come from. */
export {};
