/* Commands that give the same answer. */

/** A word that a shell expands to s, as olmgraph writes one. */
const shellWord = s => {
  if (/^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$/.test(s)) return s;
  if (/^[ -~]*$/.test(s) && !s.includes('##') && !s.includes('::')) return `'${s.replaceAll("'", "'\\''")}'`;
  return `$'${[...new TextEncoder().encode(s)].map(c => /[A-Za-z0-9 _./@%+,=-]/.test(String.fromCharCode(c)) ? String.fromCharCode(c) : '\\x' + c.toString(16).padStart(2, '0')).join('')}'`;
};

/** The words of a command line of olmgraph. No argument can be taken for a flag. Of several OpenShift versions lint and diff are about all of them. */
const commandLine = (which, args, flags, withBase) => {
  const {catalog, base, flags: given = [], lint = [], newest, versions = []} = data.command;
  const ocp = which === 'lint' || which === 'diff' || view.graph === 'versions' || !newest ? versions : ['--ocp', active.ocp || (view.item?.openShift ?? newest)];
  const all = [...flags, ...ocp, ...given, ...['lint', 'render'].includes(which) ? lint : [], ...withBase ? ['--base', base] : []];
  const rest = which === 'diff' ? [base, catalog, ...args] : [catalog, ...args];
  return ['olmgraph', which, ...all, ...rest.some(a => a.startsWith('-') && a !== '-') ? ['--'] : [], ...rest].map(shellWord);
};

/** A command, with a button to copy it. */
const command = (which, args, flags, withBase) => {
  const words = commandLine(which, args, flags, withBase), line = words.join(' ');
  const shown = make('code', {}, words.flatMap((word, i) => [i > 0 && ' ', make('span', {class: 'word'}, word)]));
  const copied = make('span', {class: 'quiet', role: 'status'});
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      copied.textContent = 'Copied.';
    } catch {
      getSelection().selectAllChildren(shown);
      copied.textContent = 'Selected: copy it with the keyboard.';
    }
  };
  return make('section', {class: 'command'}, make('h4', {}, 'The same in a terminal'), shown,
    make('div', {}, make('button', {type: 'button', class: 'button', onclick: copy}, 'Copy'), ' ', copied));
};
