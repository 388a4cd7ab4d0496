/** Detects when a JSON object that arrives in pieces is complete, in constant memory. */
export class JsonProgress {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private begun = false;

  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) this.step(piece.charCodeAt(at));
  }

  /** Whether everything that was opened is closed. An empty text is not complete. */
  get whole(): boolean {
    return this.begun && this.depth === 0 && !this.inText;
  }

  private step(code: number): void {
    if (this.inText) {
      if (this.escaped) this.escaped = false;
      else if (code === 0x5c) this.escaped = true;
      else if (code === 0x22) this.inText = false;
      return;
    }
    if (code === 0x22) {
      this.inText = true;
      this.begun = true;
    } else if (code === 0x7b || code === 0x5b) {
      this.depth++;
      this.begun = true;
    } else if (code === 0x7d || code === 0x5d) this.depth--;
  }
}
