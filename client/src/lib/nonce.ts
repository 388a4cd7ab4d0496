/** Nonce for style elements, from the page, if the content security policy has one. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
