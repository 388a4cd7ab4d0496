/** The palette (Ctrl K) and the list of shortcuts. */
export const palette = {
  title: 'Tìm màn hình, cài đặt, người dùng và kênh',
  placeholder: 'Tìm hoặc chuyển đến…',
  nothing: 'Không tìm thấy',
  screens: 'Màn hình',
  actions: 'Thao tác',
  request: 'Tìm yêu cầu {{id}}',
  shortcuts: 'Phím tắt',
  addFilter: 'Thêm bộ lọc vào danh sách',
  focusSearch: 'Chuyển đến ô tìm kiếm của danh sách',
  saveForm: 'Lưu biểu mẫu hoặc cài đặt',
  neighbours: 'Dòng trước và sau trong chi tiết dòng nhật ký',
  openRow: 'Mở dòng đang chọn',
  closeTop: 'Đóng lớp trên cùng',
};
