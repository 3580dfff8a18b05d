package io.despina.nats;

import io.despina.connect.Outgoing;
import io.nats.client.impl.Headers;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * A message of a row.
 *
 * @param headers null for none
 * @param body    may be empty
 */
record Made(String subject, Headers headers, byte[] body) {
    static final String ID = "Nats-Msg-Id";
    static final String STREAM = "Nats-Expected-Stream";
    private static final byte[] NOTHING = {};
    private static final int OVERHEAD = 300;
    /** Of a subject: with what else is in its line, servers and the client take 4,096. */
    private static final int SUBJECT_BYTES = 4_000;
    /** Subjects by which a server is told what to do begin so. */
    private static final Pattern ORDER = Pattern.compile("\\$(JS|SYS)\\..*", Pattern.DOTALL);

    /**
     * With headers as the row has them, those without a value left out.
     *
     * @param subject that of all rows; null if each row says it
     */
    static Made of(Outgoing row, String subject) {
        return new Made(row.target() == null ? subject : row.target(), headers(row), row.value() == null ? NOTHING : row.value());
    }

    private static Headers headers(Outgoing row) {
        byte[][] pairs = row.pairs();
        Headers headers = null;
        for (int k = 0; k < pairs.length; k += 2) {
            if (pairs[k + 1] != null && isAscii(pairs[k + 1])) {
                headers = headers == null ? new Headers() : headers;
                headers.add(new String(pairs[k], StandardCharsets.UTF_8), new String(pairs[k + 1], StandardCharsets.US_ASCII));
            }
        }
        return headers;
    }

    /** With the name by which the stream knows it again, and the stream that must take it. */
    Made named(String id, String stream) {
        Headers with = headers == null ? new Headers() : headers;
        with.put(ID, id);
        with.put(STREAM, stream);
        return new Made(subject, with, body);
    }

    /** Without what the client adds. */
    long payload() {
        return body.length + (headers == null ? 0L : headers.serializedLength());
    }

    /** Memory that it takes on its way. */
    long bytes() {
        return OVERHEAD + subject.length() + body.length + (headers == null ? 0 : 2L * headers.serializedLength());
    }

    /** Why no server takes it, whatever the stream; null if one may. */
    static String refusal(Outgoing row, Made made) {
        byte[][] pairs = row.pairs();
        for (int k = 0; k < pairs.length; k += 2) {
            if (pairs[k + 1] != null && !isAscii(pairs[k + 1])) {
                return "the header `" + new String(pairs[k], StandardCharsets.UTF_8) + "` of a message for subject `"
                        + made.subject + "` is not ASCII, or has more than one line";
            }
        }
        if (!Subjects.isSubject(made.subject)) {
            return "`" + made.subject + "` is no subject that a message can be sent to: it has tokens between dots, none of them "
                    + "empty, * or >, and no spaces";
        }
        if (row.target() != null && ORDER.matcher(made.subject).matches()) {
            return "`" + made.subject + "` is a subject by which a server is told what to do: no row may choose it";
        }
        int length = made.subject.getBytes(StandardCharsets.UTF_8).length;
        return length <= SUBJECT_BYTES ? null : "the subject of a message has " + length + " bytes, and servers take at most "
                + SUBJECT_BYTES;
    }

    private static boolean isAscii(byte[] text) {
        for (byte each : text) {
            if (each < 0 || each == '\n' || each == '\r') {
                return false;
            }
        }
        return true;
    }
}
