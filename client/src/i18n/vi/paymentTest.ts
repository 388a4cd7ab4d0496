/** The test of the payment settings. */
export const paymentTest = {
  title: 'Kiểm tra cổng',
  hint: 'Dùng cài đặt đã lưu. Không thực hiện thanh toán.',
  run: 'Kiểm tra thanh toán',
  works: 'Hoạt động',
  unsure: 'Cần kiểm tra',
  fails: 'Lỗi',
  reply: 'Cổng phản hồi: {{text}}',
  outcomes: {
    WORKS: 'Cổng chấp nhận merchant và khóa này, và báo thanh toán đến {{address}}.',
    CALLBACK_NOT_PUBLIC:
      'Cổng chấp nhận khóa này nhưng không thể báo thanh toán đến {{address}}. Hãy đặt địa chỉ máy chủ hoặc địa chỉ callback thành địa chỉ công khai.',
    CALLBACK_MISSING: 'Khóa đúng, nhưng cổng không báo thanh toán tới {{address}}. Hãy thêm webhook tại cổng.',
    NOT_CONFIGURED: 'Hãy điền và lưu các thiết lập của cổng trước.',
    ADDRESS_REFUSED: 'Máy chủ này không gọi địa chỉ đó: địa chỉ riêng, hoặc cổng mạng không được phép.',
    UNREACHABLE: 'Không kết nối được đến URL cổng.',
    TIMED_OUT: 'Cổng không phản hồi trong 10 giây.',
    TLS_FAILED: 'Chứng chỉ của URL cổng không hợp lệ.',
    NOT_A_GATEWAY: 'Địa chỉ có phản hồi nhưng không phải cổng thanh toán. Hãy kiểm tra đường dẫn của URL cổng.',
    WRONG_KEY: 'Cổng từ chối chữ ký: khóa sai.',
    UNKNOWN_MERCHANT: 'Cổng không biết ID merchant này.',
    MERCHANT_DISABLED: 'Cổng đã tắt merchant này.',
    UNCLEAR: 'Cổng phản hồi như nhau với chữ ký đúng và sai. Hãy thanh toán một khoản nhỏ để kiểm tra khóa.',
  },
};
