/** Texts of a statement on paper. The console has its own (client/src/i18n). */
const en = {
  title: 'Statement',
  preview: 'Preview: this month still runs',
  number: 'Number',
  month: 'Month',
  period: 'Period',
  closedAt: 'Closed',
  account: 'Account',
  seller: 'Issued by',
  buyer: 'Billed to',
  taxNumber: 'Tax number',
  opening: 'Opening balance',
  credits: 'Credits and refunds',
  usage: 'Usage',
  closing: 'Closing balance',
  payments: 'Payments',
  order: 'Order',
  time: 'Time',
  kind: 'Kind',
  count: 'Entries',
  amount: 'Amount',
  key: 'Key',
  model: 'Model',
  calls: 'Calls',
  promptTokens: 'Prompt tokens',
  completionTokens: 'Output tokens',
  noKey: 'Without a key',
  deletedKey: 'Deleted key',
  further: 'Further lines (see the CSV file)',
  kinds: {
    top_up: 'Top-ups',
    payment_refund: 'Refunded or disputed payments',
    redemption: 'Redemption codes',
    admin_grant: 'Changes by an admin',
    check_in: 'Check-ins',
    invite: 'Invitations',
    transfer: 'Transferred rewards',
    rebate: 'Rebates',
    task_refund: 'Refunds of failed tasks',
    opening: 'Initial balance',
    plan: 'Plans',
    paid_by_plan: 'Usage paid by plans',
  } as Readonly<Record<string, string>>,
};
export type PaperTexts = typeof en;

const kindNames = Object.keys(en.kinds);
const others = Object.keys(en).filter((name) => name !== 'kinds');

/** Texts of another language, in the order of the English ones. */
const translated = (texts: readonly string[], kinds: readonly string[]): PaperTexts =>
  ({
    ...Object.fromEntries(others.map((name, index) => [name, texts[index]])),
    kinds: Object.fromEntries(kindNames.map((name, index) => [name, kinds[index]])),
  }) as PaperTexts;

/** By language of the console. */
export const paperTexts = {
  en,
  zh: translated(
    [
      ...['对账单', '预览：本月尚未结束', '编号', '月份', '期间', '关闭时间', '账户', '销售方', '购买方', '税号'],
      ...['期初余额', '入账与退款', '用量', '期末余额', '付款', '订单', '时间', '类型', '笔数', '金额', '令牌', '模型'],
      ...['调用次数', '输入 Token', '输出 Token', '未使用令牌', '已删除的令牌', '其余各行（见 CSV 文件）'],
    ],
    [
      ...['充值', '退款或争议的付款', '兑换码', '管理员调整', '签到', '邀请', '奖励划转', '返利', '失败任务退款'],
      ...['初始余额', '套餐', '套餐支付的用量'],
    ],
  ),
  ja: translated(
    [
      ...[
        '明細書',
        'プレビュー：今月はまだ終わっていません',
        '番号',
        '月',
        '期間',
        '締め日時',
        'アカウント',
        '発行者',
        '請求先',
      ],
      ...[
        '税番号',
        '期首残高',
        '入金と返金',
        '利用',
        '期末残高',
        '支払い',
        '注文',
        '日時',
        '種類',
        '件数',
        '金額',
        'キー',
      ],
      ...[
        'モデル',
        '呼び出し',
        '入力トークン',
        '出力トークン',
        'キーなし',
        '削除されたキー',
        'その他の行（CSVファイルを参照）',
      ],
    ],
    [
      ...[
        'チャージ',
        '返金または係争中の支払い',
        '引き換えコード',
        '管理者による変更',
        'チェックイン',
        '招待',
        '報酬の振替',
      ],
      ...['リベート', '失敗したタスクの返金', '初期残高', 'プラン', 'プランで支払われた利用'],
    ],
  ),
  fr: translated(
    [
      ...[
        'Relevé',
        'Aperçu : ce mois est en cours',
        'Numéro',
        'Mois',
        'Période',
        'Clôturé',
        'Compte',
        'Émis par',
        'Facturé à',
      ],
      ...[
        'Numéro fiscal',
        'Solde initial',
        'Crédits et remboursements',
        'Utilisation',
        'Solde final',
        'Paiements',
        'Commande',
      ],
      ...[
        'Date',
        'Type',
        'Nombre',
        'Montant',
        'Clé',
        'Modèle',
        'Appels',
        'Jetons d’entrée',
        'Jetons de sortie',
        'Sans clé',
      ],
      ...['Clé supprimée', 'Autres lignes (voir le fichier CSV)'],
    ],
    [
      ...[
        'Recharges',
        'Paiements remboursés ou contestés',
        'Codes',
        'Modifications par un administrateur',
        'Pointages',
      ],
      ...['Invitations', 'Récompenses transférées', 'Remises', 'Remboursements de tâches échouées', 'Solde de départ'],
      ...['Forfaits', 'Utilisation payée par des forfaits'],
    ],
  ),
  ru: translated(
    [
      ...[
        'Выписка',
        'Предпросмотр: месяц ещё не закончился',
        'Номер',
        'Месяц',
        'Период',
        'Закрыта',
        'Аккаунт',
        'Продавец',
      ],
      ...[
        'Покупатель',
        'Налоговый номер',
        'Начальный остаток',
        'Зачисления и возвраты',
        'Использование',
        'Конечный остаток',
      ],
      ...['Платежи', 'Заказ', 'Время', 'Вид', 'Количество', 'Сумма', 'Ключ', 'Модель', 'Вызовы', 'Входные токены'],
      ...['Выходные токены', 'Без ключа', 'Удалённый ключ', 'Остальные строки (в файле CSV)'],
    ],
    [
      ...[
        'Пополнения',
        'Возвращённые или оспоренные платежи',
        'Коды',
        'Изменения администратора',
        'Отметки',
        'Приглашения',
      ],
      ...['Переведённые награды', 'Бонусы', 'Возвраты за неудачные задачи', 'Начальный баланс'],
      ...['Тарифы', 'Использование, оплаченное тарифами'],
    ],
  ),
  vi: translated(
    [
      ...[
        'Bảng kê',
        'Xem trước: tháng này chưa kết thúc',
        'Số',
        'Tháng',
        'Kỳ',
        'Đã chốt',
        'Tài khoản',
        'Bên bán',
        'Bên mua',
      ],
      ...['Mã số thuế', 'Số dư đầu kỳ', 'Ghi có và hoàn tiền', 'Sử dụng', 'Số dư cuối kỳ', 'Thanh toán', 'Đơn hàng'],
      ...['Thời gian', 'Loại', 'Số lượng', 'Số tiền', 'Khóa', 'Mô hình', 'Lượt gọi', 'Token đầu vào', 'Token đầu ra'],
      ...['Không có khóa', 'Khóa đã xóa', 'Các dòng khác (xem tệp CSV)'],
    ],
    [
      ...[
        'Nạp tiền',
        'Thanh toán được hoàn hoặc tranh chấp',
        'Mã đổi',
        'Thay đổi bởi quản trị viên',
        'Điểm danh',
        'Lời mời',
      ],
      ...['Phần thưởng đã chuyển', 'Hoa hồng', 'Hoàn tiền tác vụ thất bại', 'Số dư ban đầu'],
      ...['Gói', 'Sử dụng được trả bằng gói'],
    ],
  ),
};
export type PaperLanguage = keyof typeof paperTexts;

/** English for a language that the console does not have. */
export const paperLanguage = (name: string | undefined): PaperLanguage =>
  name !== undefined && Object.hasOwn(paperTexts, name) ? (name as PaperLanguage) : 'en';
