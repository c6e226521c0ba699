/* The automatic upgrades of a version, step by step. */

const declarations = {replaces: to => to.replaces, skips: (to, name) => to.skips?.find(s => s[0] === name), skipRange: to => to.range};

const stepItem = (from, to, olm) => {
  const {kind} = from[olm], field = declarations[kind]?.(to, from.of.name) ?? [];
  return make('li', {},
    make('p', {class: 'hop'}, bundleLink(from), ' → ', bundleLink(to)),
    make('p', {class: 'reason'}, reason(kind, from, field), ' ', source(field.slice(1))),
    notes(from, to, olm).map(note => make('p', {class: 'note'}, note)));
};

const bundleLink = entry => linkHere({c: entry.channel.title, b: entry.of.title}, name(version(entry.of)));

const reason = (kind, from, field) => kind === 'same version' ? `has the same version as ${from.of.title}` : kind === 'skipRange' ? `skipRange "${text(field[0])}"` : `${kind} ${version(from.of)}`;

/** Notes on a step. */
const notes = (from, to, olm) => [
  ...(from[olm].notes ?? []).map(text),
  to.of.deprecation !== undefined && `deprecated: ${text(to.of.deprecation)}`,
  to.of.max && to.of.max !== from.of.max && `blocks upgrades of OpenShift beyond ${to.of.max}`,
  ...(to.of.requires ?? []).filter(i => !from.of.requires?.includes(i)).map(i => `requires ${text(i)}`),
].filter(Boolean);
