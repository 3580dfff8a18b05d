package io.despina.socket;

/** How a stream of bytes is cut into records. */
public enum Framing {
    /** A record ends with LF or CR LF. */
    LINES {
        @Override
        int wholeEnd(byte[] bytes, int from, int length, int most) {
            for (int k = length - 1; k >= from; k--) {
                if (bytes[k] == '\n') {
                    return k + 1;
                }
            }
            return 0;
        }

        @Override
        public int bodyEnd(byte[] bytes, int from, int limit) {
            int k = from;
            while (k < limit && bytes[k] != '\n') {
                k++;
            }
            return k;
        }

        @Override
        public int prefix() {
            return 0;
        }

        @Override
        public int suffix() {
            return 1;
        }
    },
    /** Four bytes, the number of those that follow, the highest first; then the record. */
    LENGTH_PREFIXED {
        @Override
        int wholeEnd(byte[] bytes, int from, int length, int most) {
            int end = 0;
            while (length - end >= PREFIX) {
                int size = size(bytes, end);
                if (size < 0 || size > most) {
                    return end == 0 ? TOO_LONG : end;
                }
                if (length - end - PREFIX < size) {
                    break;
                }
                end += PREFIX + size;
            }
            return end;
        }

        @Override
        public int bodyEnd(byte[] bytes, int from, int limit) {
            return from + PREFIX + size(bytes, from);
        }

        @Override
        public int prefix() {
            return PREFIX;
        }

        @Override
        public int suffix() {
            return 0;
        }
    },
    /** What arrives together is one record. */
    WHOLE {
        @Override
        int wholeEnd(byte[] bytes, int from, int length, int most) {
            return length;
        }

        @Override
        public int bodyEnd(byte[] bytes, int from, int limit) {
            return limit;
        }

        @Override
        public int prefix() {
            return 0;
        }

        @Override
        public int suffix() {
            return 0;
        }
    };

    /** What {@link #wholeEnd} answers if the first record is longer than it may be. */
    static final int TOO_LONG = -1;
    private static final int PREFIX = 4;

    /**
     * Where the last whole record of {@code bytes[0, length)} ends; 0 if there is none, or {@link #TOO_LONG}.
     *
     * @param from the first byte that was not there at the last call
     * @param most bytes of a record
     */
    abstract int wholeEnd(byte[] bytes, int from, int length, int most);

    /** Where the record ends that begins at {@code from}, without what separates it from the next; all of it is there. */
    public abstract int bodyEnd(byte[] bytes, int from, int limit);

    /** Bytes before a record's own. */
    public abstract int prefix();

    /** Bytes behind a record's own. */
    public abstract int suffix();

    private static int size(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8 | bytes[at + 3] & 0xFF;
    }
}
