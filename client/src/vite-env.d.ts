declare module '*.css';
declare module '@fontsource-variable/geist';
declare module '@fontsource-variable/geist-mono';
declare module '*.svg' {
  const address: string;
  export { address as default };
}
