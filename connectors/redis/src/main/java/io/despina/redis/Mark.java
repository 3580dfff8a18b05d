package io.despina.redis;

import io.despina.connect.RefusedException;
import java.nio.charset.StandardCharsets;

/**
 * How far an outbox is: {@code 7 1000 NAME} when what is to be there of the first 1,000 rows of epoch 7 is there, {@code 7 all
 * NAME} when all is. A mark takes the place of the one that its writer knows, and has the writer's name, so of two writers one
 * fails.
 *
 * @param rows of the epoch that are done; {@code Long.MAX_VALUE} for all
 * @param by   name of who has written it
 */
record Mark(long epoch, long rows, String by) {
    static final Mark NONE = new Mark(0, Long.MAX_VALUE, "");
    private static final String ALL = "all";

    /** @param answer to GET */
    static Mark of(Object answer) throws RefusedException {
        if (!(answer instanceof byte[] bytes)) {
            return NONE;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        String[] words = text.split(" ");
        try {
            if (words.length == 3) {
                return new Mark(Long.parseLong(words[0]), words[1].equals(ALL) ? Long.MAX_VALUE : Long.parseLong(words[1]),
                        words[2]);
            }
        } catch (NumberFormatException e) {
            throw strange(text, e);
        }
        throw strange(text, null);
    }

    private static RefusedException strange(String text, Exception why) {
        return new RefusedException("a key of `markers` holds no mark: " + text, why);
    }

    boolean isDone() {
        return rows == Long.MAX_VALUE;
    }

    /** Whether it says less than another one. */
    boolean isBehind(Mark other) {
        return epoch < other.epoch || epoch == other.epoch && rows < other.rows;
    }

    Mark by(String other) {
        return new Mark(epoch, rows, other);
    }

    /** Empty for none. */
    byte[] bytes() {
        String text = equals(NONE) ? "" : epoch + " " + (isDone() ? ALL : Long.toString(rows)) + " " + by;
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
