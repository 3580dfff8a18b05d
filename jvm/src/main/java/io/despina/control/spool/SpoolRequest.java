package io.despina.control.spool;

import io.despina.spool.SpoolId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What is asked of a spool elsewhere, one thing at a time.
 *
 * <pre>
 * request: what (1) · generation (UTF, length in 2) · instance (4) · row (8) · number (8) · text (UTF)
 * answer : 0 · what was asked for, or 1 · why not (UTF)
 *   STATE    first row (8) · rows (8) · bytes (8) · ended (1)
 *   READ     ended (1) · records                                 number: milliseconds to wait
 *   BEHIND   row (8)                                             number: bytes
 *   CUT, FAIL, RELEASE  nothing                                 text: why
 *   ARROW    rows from row on, as an Arrow stream               number: the row before which they end
 * </pre>
 *
 * @param row    0 where none is meant
 * @param number 0 where none is meant
 * @param text   empty where none is meant
 */
record SpoolRequest(What what, SpoolId id, long row, long number, String text) {
    /** Their order is their number. */
    enum What { STATE, READ, BEHIND, CUT, FAIL, RELEASE, ARROW }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(what.ordinal());
            out.writeUTF(id.generation());
            out.writeInt(id.instance());
            out.writeLong(row);
            out.writeLong(number);
            out.writeUTF(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    static SpoolRequest decode(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int what = in.readByte();
            if (what < 0 || what >= What.values().length) {
                throw new IOException("request of kind " + what + " is not known");
            }
            return new SpoolRequest(What.values()[what], new SpoolId(in.readUTF(), in.readInt()), in.readLong(), in.readLong(),
                    in.readUTF());
        }
    }
}
