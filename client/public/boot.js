// Runs before the first paint: the stored theme (else the system's) and language go onto <html>, and the files of its
// texts are asked for. The style nonce of the content security policy is put where the toast library looks for it as soon
// as it loads.
(function () {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage may be forbidden; the defaults hold
    }
  };
  const mode = read('theme-mode');
  const dark = mode === 'dark' || (mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-theme', dark ? 'dark' : 'light');
  const [language] = (read('language') || navigator.language || 'en').toLowerCase().split('-');
  root.lang = ['zh', 'ja', 'fr', 'ru', 'vi'].includes(language) ? language : 'en';
  if (read('user')) root.dataset.signedIn = '';
  // The page names the texts of every language: only here is known which ones are needed.
  const texts = JSON.parse(document.querySelector('meta[name="texts"]')?.content ?? '{}');
  for (const href of texts[root.lang] ?? []) {
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'modulepreload', fetchPriority: 'low', href }),
    );
  }
  // Without its script nothing else could tell why the page stays empty.
  addEventListener(
    'error',
    ({ target }) => {
      const note = document.getElementById('waiting-failed');
      if (note && target instanceof HTMLScriptElement) note.hidden = false;
    },
    true,
  );
  const nonce = document.querySelector('meta[name="csp-nonce"]');
  if (nonce) window.__nonce__ = nonce.content;
})();
