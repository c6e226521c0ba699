/* The colour scheme. */

const darkWanted = matchMedia('(prefers-color-scheme: dark)');
let chosenTheme; // undefined: what the system prefers
const dark = () => chosenTheme ? chosenTheme === 'dark' : darkWanted.matches;

/** Applies the chosen colour scheme to all style sheets, that of the picture included. Print stays light. */
const applyTheme = () => {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) if (rule instanceof CSSMediaRule) chooseScheme(rule);
  }
  document.documentElement.style.colorScheme = chosenTheme ?? '';
  document.getElementById('theme').setAttribute('aria-pressed', String(dark()));
};

const schemes = new WeakMap();
const chooseScheme = rule => {
  if (!schemes.has(rule)) schemes.set(rule, rule.media.mediaText);
  const written = schemes.get(rule);
  const [, scheme] = /prefers-color-scheme:\s*(dark|light)/.exec(written) ?? [];
  if (scheme) rule.media.mediaText = !chosenTheme ? written : scheme === chosenTheme ? 'screen' : 'not all';
};

const watchTheme = () => {
  document.getElementById('theme').addEventListener('click', () => {
    chosenTheme = dark() ? 'light' : 'dark';
    applyTheme();
  });
  darkWanted.addEventListener('change', applyTheme);
};
