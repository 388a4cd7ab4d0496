/** The server cannot listen on its address. The message is one line that says what to do. */
export class ListenError extends Error {
  /** @param cause the error of Node, which names the reason by its code */
  constructor(host: string, port: number, cause: unknown) {
    super(describe(host, port, cause as NodeJS.ErrnoException), { cause });
    this.name = 'ListenError';
  }
}

function describe(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return `port ${port} is in use: set PORT to another one`;
  if (code === 'EACCES') return `this user may not listen on port ${port}: set PORT to 1024 or more`;
  return `the server cannot listen on ${host} (${code ?? message}): set HOST to an address of this machine`;
}
