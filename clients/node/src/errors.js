/** An operation failed: `code` is a stable word for programs, `hint` says what to do where that is known. */
export class EpitomeError extends Error {
  constructor(code, message, hint = null) {
    super(hint ? `${message}\nhint: ${hint}` : message);
    this.name = "EpitomeError";
    this.code = code;
    this.hint = hint;
  }
}
