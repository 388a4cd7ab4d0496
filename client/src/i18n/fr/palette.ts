/** The palette (Ctrl K) and the list of shortcuts. */
export const palette = {
  title: 'Rechercher écrans, paramètres, utilisateurs et canaux',
  placeholder: 'Rechercher ou aller à…',
  nothing: 'Aucun résultat',
  screens: 'Écrans',
  actions: 'Actions',
  request: 'Trouver la requête {{id}}',
  shortcuts: 'Raccourcis clavier',
  addFilter: 'Ajouter un filtre à une liste',
  focusSearch: 'Aller au champ de recherche d’une liste',
  saveForm: 'Enregistrer un formulaire ou les paramètres',
  neighbours: 'Ligne précédente et suivante dans le détail du journal',
  openRow: 'Ouvrir la ligne active',
  closeTop: 'Fermer ce qui est au premier plan',
};
