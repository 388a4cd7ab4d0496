export const live = {
  connecting: 'Connexion',
  live: 'En direct',
  newRows_one: '{{count}} nouvelle ligne',
  newRows_many: '{{count}} nouvelles lignes',
  newRows_other: '{{count}} nouvelles lignes',
  pause: 'Suspendre',
  paused: 'Suspendu',
  polling: 'Toutes les {{seconds}} s',
  resume: 'Reprendre',
};
