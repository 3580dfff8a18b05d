package io.despina.control.staging;

import io.despina.link.Attempt;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What is asked of the rows that are staged elsewhere, one thing at a time.
 *
 * <pre>
 * request: 64 + kind (1) · job (UTF, length in 2) · attempt (4) · operator (UTF) · instance (4)
 *          · run (UTF) · epoch (8) · task (8) · rows (4) · packets
 *   STAGE    rows of a task for an epoch
 *   APPEND   rows that the source sees at once; run is empty
 *   DROP     what a task has staged for an epoch, away
 * answer : 0 · whether there was room (1), or 1 · why not (UTF)
 * </pre>
 */
record StageRequest(Kind kind, StagePlace place, StagedEpochs.Key key, int rows, byte[] packets) {
    /** The first byte, and above it: no request of another kind begins so. */
    static final int FIRST = 64;

    /** Their order is their number. */
    enum Kind { STAGE, APPEND, DROP }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(packets.length + 256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FIRST + kind.ordinal());
            out.writeUTF(place.attempt().job());
            out.writeInt(place.attempt().number());
            out.writeUTF(place.operator());
            out.writeInt(place.instance());
            out.writeUTF(key.run());
            out.writeLong(key.epoch());
            out.writeLong(key.task());
            out.writeInt(rows);
            out.write(packets);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    static StageRequest decode(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int kind = in.readByte() - FIRST;
            if (kind < 0 || kind >= Kind.values().length) {
                throw new IOException("request of kind " + (kind + FIRST) + " is not known");
            }
            StagePlace place = new StagePlace(new Attempt(in.readUTF(), in.readInt()), in.readUTF(), in.readInt());
            return new StageRequest(Kind.values()[kind], place, new StagedEpochs.Key(in.readUTF(), in.readLong(), in.readLong()),
                    in.readInt(), in.readAllBytes());
        }
    }
}
