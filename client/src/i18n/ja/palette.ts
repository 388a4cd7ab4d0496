/** The palette (Ctrl K) and the list of shortcuts. */
export const palette = {
  title: '画面、設定、ユーザー、チャネルを検索',
  placeholder: '検索または移動…',
  nothing: '見つかりませんでした',
  screens: '画面',
  actions: '操作',
  request: 'リクエスト{{id}}を検索',
  shortcuts: 'キーボードショートカット',
  addFilter: '一覧にフィルターを追加する',
  focusSearch: '一覧の検索欄に移動',
  saveForm: 'フォームまたは設定を保存',
  neighbours: 'ログの詳細で前後の行に移動',
  openRow: 'フォーカス中の行を開く',
  closeTop: '最前面の画面を閉じる',
};
