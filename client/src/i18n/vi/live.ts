export const live = {
  connecting: 'Đang kết nối',
  live: 'Trực tiếp',
  newRows_other: '{{count}} dòng mới',
  pause: 'Tạm dừng',
  paused: 'Đã tạm dừng',
  polling: 'Mỗi {{seconds}} giây',
  resume: 'Tiếp tục',
};
