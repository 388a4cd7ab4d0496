/** Puts a text on the clipboard. @returns false when the browser refuses */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without HTTPS have no clipboard API, but a selection can be copied.
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const place = document.createElement('span');
  place.textContent = text;
  Object.assign(place.style, { position: 'fixed', opacity: '0', whiteSpace: 'pre', userSelect: 'text' });
  document.body.append(place);
  const selection = getSelection();
  selection?.selectAllChildren(place);
  let isWritten = false;
  // A focused field would otherwise copy its own selection.
  const write = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
    isWritten = event.clipboardData !== null;
  };
  addEventListener('copy', write, true);
  try {
    const { execCommand } = document as { readonly execCommand?: (command: 'copy') => boolean };
    return execCommand?.call(document, 'copy') === true && isWritten;
  } finally {
    removeEventListener('copy', write, true);
    selection?.removeAllRanges();
    place.remove();
  }
}
