package io.despina.asking;

import io.despina.asking.FoundRecord.Page;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The records of all pages of a poll. */
final class GatheredRecords {
    /** Of a page without records too: a server that names one such page after the other comes to an end. */
    private static final int PAGE_BYTES = 100;

    private final int most;
    private final List<FoundRecord> records = new ArrayList<>();
    private long bytes;

    /** @param most bytes that the pages may have */
    GatheredRecords(int most) {
        this.most = most;
    }

    void add(List<FoundRecord> found, Page page) throws AnswerRefusedException {
        records.addAll(found);
        bytes += found.isEmpty() ? PAGE_BYTES : Math.max(PAGE_BYTES, page.bytes().length);
        if (bytes > most) {
            throw new AnswerRefusedException("the pages of one poll have more than max_answer_bytes=" + most
                    + ": raise it, or let the server give them by the cursor and say `order` ascending");
        }
    }

    /** By their cursors; those without one first. */
    List<FoundRecord> sorted() {
        records.sort(Comparator.comparing(FoundRecord::cursor, Comparator.nullsFirst(CursorValue::compareTo)));
        return records;
    }
}
