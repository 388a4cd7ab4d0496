/** The test of the payment settings. */
export const paymentTest = {
  title: 'Tester la passerelle',
  hint: 'Utilise les paramètres enregistrés. Aucun paiement n’est effectué.',
  run: 'Tester le paiement',
  works: 'Fonctionne',
  unsure: 'À vérifier',
  fails: 'Échoue',
  reply: 'La passerelle a répondu : {{text}}',
  outcomes: {
    WORKS: 'La passerelle accepte ce marchand et cette clé, et signale les paiements à {{address}}.',
    CALLBACK_NOT_PUBLIC:
      'La passerelle accepte cette clé, mais ne peut pas signaler les paiements à {{address}}. Donnez une adresse publique au serveur ou au callback.',
    CALLBACK_MISSING:
      'La clé est correcte, mais la passerelle ne signale pas les paiements à {{address}}. Ajoutez-y le webhook.',
    NOT_CONFIGURED: 'Renseignez d’abord les paramètres de la passerelle et enregistrez-les.',
    ADDRESS_REFUSED: 'Ce serveur n’appelle pas cette adresse : elle est privée, ou son port n’est pas autorisé.',
    UNREACHABLE: 'L’URL de la passerelle est injoignable.',
    TIMED_OUT: 'La passerelle n’a pas répondu en 10 secondes.',
    TLS_FAILED: 'Le certificat de l’URL de la passerelle n’est pas valide.',
    NOT_A_GATEWAY:
      'L’adresse répond, mais pas comme une passerelle de paiement. Vérifiez le chemin de l’URL de la passerelle.',
    WRONG_KEY: 'La passerelle refuse la signature : la clé est fausse.',
    UNKNOWN_MERCHANT: 'La passerelle ne connaît pas cet ID marchand.',
    MERCHANT_DISABLED: 'La passerelle a désactivé ce marchand.',
    UNCLEAR:
      'La passerelle répond de même à une bonne et à une mauvaise signature. Faites un petit paiement pour vérifier la clé.',
  },
};
