const { createRequire } = require('node:module');

const ofEnvironment = createRequire(require.resolve('jest-environment-jsdom'));
const ofJsdom = createRequire(ofEnvironment.resolve('jsdom'));
const { CSSStyleDeclaration } = ofJsdom('cssstyle');
const { parse } = ofJsdom('rrweb-cssom');
const defaultStyleSheet = ofJsdom('./jsdom/browser/default-stylesheet.js');
const { matchesDontThrow } = ofJsdom('./jsdom/living/helpers/selectors.js');
const styleRules = ofJsdom('./jsdom/living/helpers/style-rules.js');

/**
 * Look-ups by role and by name read `display` and `visibility` of every element, of its ancestors and of its children.
 * jsdom compares each with the 120 rules of the browser's own style sheet and computes twelve colors, which took up to a
 * fifth of the time of a test. So `getComputedStyle` gives colors only where they are declared.
 */
for (const [property, { computedValue }] of Object.entries(styleRules.propertiesWithResolvedValueImplemented)) {
  if (computedValue === 'computed-color') delete styleRules.propertiesWithResolvedValueImplemented[property];
}

/** From the browser's own style sheet: how elements are shown by their name alone, and the other rules of what is shown. */
const displayOf = new Map();
const otherRules = [];
for (const { selectorText, style } of parse(defaultStyleSheet).cssRules) {
  const names = selectorText?.split(/\s*,\s*/) ?? [];
  if (!style?.display && !style?.visibility) continue;
  if (names.every((name) => /^\w+$/.test(name)) && !style.visibility) {
    for (const name of names) displayOf.set(name, style.display);
  } else otherRules.push({ selectorText, style });
}

const isClass = /^\.[\w-]+$/;

function matches(element, selector) {
  if (!isClass.test(selector)) return matchesDontThrow(element, selector);
  return element.classList.contains(selector.slice(1));
}

/** As in jsdom, with the rules above instead of the browser's own style sheet. */
styleRules.getDeclarationForElement = (element) => {
  const document = element._ownerDocument;
  const known = (document._styleCache ??= new WeakMap());
  const before = known.get(element);
  if (before) return before;
  const declaration = new CSSStyleDeclaration();
  const display = displayOf.get(element._localName);
  if (display) declaration.setProperty('display', display);
  const apply = (style) => {
    for (const property of Array.from(style)) {
      const value = style.getPropertyValue(property);
      if (value === 'unset') declaration.removeProperty(property);
      else declaration.setProperty(property, value, style.getPropertyPriority(property));
    }
  };
  const applyMatching = (rules) => {
    for (const rule of rules) {
      if (rule.media) {
        if (Array.from(rule.media).includes('screen')) applyMatching(Array.from(rule.cssRules));
      } else if (rule.selectorText && matches(element, rule.selectorText)) apply(rule.style);
    }
  };
  applyMatching(otherRules);
  for (const sheet of document.styleSheets._list) applyMatching(Array.from(sheet.cssRules));
  apply(element.style);
  known.set(element, declaration);
  return declaration;
};

// After the changes: jsdom reads these functions when it is loaded.
module.exports = require('jest-environment-jsdom');
