/* The page of a plan: which steps are done is stored in the browser, if it allows that. */

const boxes = [...document.querySelectorAll('input[data-step]')];
const { key } = document.body.dataset;

const stored = () => {
  try {
    return new Set(JSON.parse(localStorage.getItem(key)) ?? []);
  } catch {
    return new Set();
  }
};

const store = () => {
  try {
    localStorage.setItem(key, JSON.stringify(boxes.filter(b => b.checked).map(b => b.dataset.step)));
  } catch { /* the boxes work all the same */ }
};

const showDone = () => {
  const done = boxes.filter(b => b.checked).length;
  for (const b of boxes) b.closest('label').classList.toggle('done', b.checked);
  if (boxes.length === 0) return;
  document.getElementById('done').textContent = `${done} of ${boxes.length} done`;
  document.getElementById('bar').value = done;
};

const ticked = stored();
for (const b of boxes) {
  b.checked = ticked.has(b.dataset.step);
  b.addEventListener('change', () => {
    store();
    showDone();
  });
}
document.getElementById('clear')?.addEventListener('click', () => {
  for (const b of boxes) b.checked = false;
  store();
  showDone();
});
showDone();
watchTheme();
applyTheme();
