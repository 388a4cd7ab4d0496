export const channelHealth = {
  failureRate: 'Tỷ lệ lỗi',
  failedAttempts: 'Lần thử lỗi',
  rescued: 'Đã khắc phục',
  served: 'p50 / p95',
  calls: 'Đã phục vụ',
  lastError: 'Lỗi gần nhất',
  cardTimes: 'p50 {{half}}, p95 {{most}}',
  cardAttempts: '{{failed}} lỗi, {{rescued}} đã khắc phục',
  emptyText: 'Kênh xuất hiện ở đây sau lượt gọi đầu tiên.',
  trouble: 'Kênh lỗi, giờ qua',
  all: 'Tình trạng kênh',
  noTrouble_other: 'Không có lần thử lỗi ở {{count}} kênh có lượt gọi.',
};
