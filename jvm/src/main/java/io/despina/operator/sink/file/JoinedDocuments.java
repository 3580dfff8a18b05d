package io.despina.operator.sink.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One document of several that a file sink has written, which have one beginning, to the root's start, and one end. Of each but
 * the first the beginning is left out, of each but the last the end.
 */
final class JoinedDocuments {
    private static final int BLOCK_BYTES = 1 << 16;
    /** More than the end of a document has. */
    private static final int MOST_END = 1 << 12;
    private static final byte[] END = "</".getBytes(StandardCharsets.US_ASCII);

    private final OutputStream out;
    private boolean isFirst = true;

    JoinedDocuments(OutputStream out) {
        this.out = out;
    }

    /** @throws IOException if it is none of a file sink's */
    void add(InputStream document, boolean isLast) throws IOException {
        byte[] bytes = document.readNBytes(BLOCK_BYTES);
        int from = isFirst ? 0 : beginning(bytes);
        isFirst = false;
        while (true) {
            byte[] next = document.readNBytes(BLOCK_BYTES);
            if (next.length == 0) {
                break;
            }
            int kept = Math.min(MOST_END, bytes.length - from);
            int to = bytes.length - kept;
            out.write(bytes, from, to - from);
            byte[] joined = Arrays.copyOf(Arrays.copyOfRange(bytes, to, bytes.length), kept + next.length);
            System.arraycopy(next, 0, joined, kept, next.length);
            bytes = joined;
            from = 0;
        }
        out.write(bytes, from, (isLast ? bytes.length : end(bytes)) - from);
    }

    /** Where the root's start ends: behind a declaration, and behind its attributes. */
    private static int beginning(byte[] bytes) throws IOException {
        int at = 0;
        while (at < bytes.length && bytes[at] != '<' || at + 1 < bytes.length && bytes[at + 1] == '?') {
            at++;
        }
        byte quote = 0;
        for (; at < bytes.length; at++) {
            byte b = bytes[at];
            if (quote != 0) {
                quote = b == quote ? 0 : quote;
            } else if (b == '"' || b == '\'') {
                quote = b;
            } else if (b == '>') {
                return at + 1;
            }
        }
        throw new IOException("a document without a root");
    }

    /** Where the root's end begins, with the line end before it. */
    private static int end(byte[] bytes) throws IOException {
        for (int at = bytes.length - END.length; at >= 0; at--) {
            if (Arrays.equals(bytes, at, at + END.length, END, 0, END.length)) {
                return at > 0 && bytes[at - 1] == '\n' ? at - 1 : at;
            }
        }
        throw new IOException("a document whose root has no end");
    }
}
