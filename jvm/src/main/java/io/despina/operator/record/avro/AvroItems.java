package io.despina.operator.record.avro;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;

/** The items of a list or a map: blocks of them, each behind how many it has, until one has none. */
final class AvroItems {
    private AvroItems() {
    }

    /** The count of the next block. Its size, if it is there, is passed over. */
    static long block(ByteCursor in) {
        long count = in.zigzag();
        if (count < 0) {
            in.zigzag();
            count = -count;
        }
        if (count < 0) {
            throw new BrokenRecord("a block of more than 63 bits of items");
        }
        return count;
    }

    /** Passes over all of them. @param isMap whether a key stands before each */
    static int skip(ByteCursor in, AvroSkip item, boolean isMap) {
        long items = 0;
        boolean isEmpty = !isMap && item.isEmpty();
        for (long count = in.zigzag(); count != 0; count = in.zigzag()) {
            if (count == Long.MIN_VALUE || !isEmpty && Math.abs(count) > in.left()) {
                throw new BrokenRecord("a block of " + Math.abs(count) + " items, and " + in.left() + " bytes are left");
            }
            items += Math.abs(count);
            if (items < 0 || items > Integer.MAX_VALUE) {
                throw new BrokenRecord("a list of more than " + Integer.MAX_VALUE + " items");
            }
            if (count < 0) {
                in.take(in.zigzag());
                continue;
            }
            for (long k = 0; k < count && !isEmpty; k++) {
                if (isMap) {
                    in.take(in.zigzag());
                }
                item.skip(in);
            }
        }
        return (int) items;
    }
}
