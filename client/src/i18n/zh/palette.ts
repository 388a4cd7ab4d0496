/** The palette (Ctrl K) and the list of shortcuts. */
export const palette = {
  title: '搜索页面、设置、用户和渠道',
  placeholder: '搜索或跳转…',
  nothing: '没有找到',
  screens: '页面',
  actions: '操作',
  request: '查找请求 {{id}}',
  shortcuts: '键盘快捷键',
  addFilter: '为列表添加筛选',
  focusSearch: '聚焦列表的搜索框',
  saveForm: '保存表单或设置',
  neighbours: '日志详情中的上一行和下一行',
  openRow: '打开聚焦的行',
  closeTop: '关闭最上层',
};
