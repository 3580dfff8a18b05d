package io.despina.asking;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A record in an answer, or in a part of one.
 *
 * @param number  its place among those of the page, from 1; 0 for the page as a whole
 * @param from    its first byte
 * @param to      the byte behind its last
 * @param beside  what is beside its value
 * @param problem why it is none, in words; null if it is one
 */
record FoundRecord(Page page, int number, int from, int to, Beside beside, String problem) {
    private static final int DIGEST_BYTES = 12;

    /**
     * What is beside a record's value; each may be null.
     *
     * @param cursor of a server that is polled
     * @param id     of an event, or the one before it that had one; of a line its own
     * @param event  what kind of event it is
     * @param named  whether the record has the id itself
     */
    record Beside(CursorValue cursor, String id, String event, boolean named) {
        static final Beside NOTHING = new Beside(null, null, null, false);
    }

    /**
     * An answer, or a part of one.
     *
     * @param shown  its URL, without secrets
     * @param bytes  in UTF-8
     * @param micros when it came, since 1970
     */
    record Page(String shown, byte[] bytes, long micros) {
        String digest() {
            return FoundRecord.digest(bytes, 0, bytes.length);
        }
    }

    FoundRecord with(String wrong) {
        return new FoundRecord(page, number, from, to, beside, wrong);
    }

    /** Null without one. */
    CursorValue cursor() {
        return beside.cursor;
    }

    /** Tells it from others with the same cursor. */
    String digest() {
        return digest(page.bytes, from, to);
    }

    private static String digest(byte[] bytes, int from, int to) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(bytes, from, to - from);
            return HexFormat.of().formatHex(sha.digest(), 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
