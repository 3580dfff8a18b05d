package io.despina.asking;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.despina.asking.FoundRecord.Beside;
import io.despina.asking.FoundRecord.Page;
import io.despina.json.JsonPieces;
import io.despina.spec.FileFormat;
import java.util.ArrayList;
import java.util.List;

/** The records of a page, and what it says of the next one. */
final class FoundRecords implements JsonPieces.PieceTaker {
    private final PollOptions options;
    private final Page page;
    private final List<FoundRecord> records = new ArrayList<>();
    private String next;

    private FoundRecords(PollOptions options, Page page) {
        this.options = options;
        this.page = page;
    }

    /** @param empty whether the server says that there is nothing */
    static FoundRecords in(Page page, PollOptions options, boolean empty) {
        FoundRecords found = new FoundRecords(options, page);
        if (empty) {
            return found;
        }
        if (options.answer().format() == FileFormat.JSON) {
            found.findJson();
        } else {
            found.findLines();
        }
        return found;
    }

    List<FoundRecord> records() {
        return records;
    }

    /** The next page's URL as the answer's body has it; null if it has none. */
    String next() {
        return next;
    }

    private void findJson() {
        PollOptions.Answer answer = options.answer();
        String member = options.cursor() == null ? null : options.cursor().column();
        try {
            boolean found = JsonPieces.read(page.bytes(), new JsonPieces.Wanted(answer.records(), member, answer.next()), this);
            if (!found) {
                refuse(page.bytes().length == 0 ? "the answer is empty" : "the answer has nothing at `records`=/"
                        + String.join("/", answer.records()));
            }
        } catch (JsonProcessingException e) {
            records.clear();
            next = null;
            refuse("the answer is no JSON: " + e.getOriginalMessage());
        }
    }

    /** The answer as a whole is a bad record. */
    private void refuse(String problem) {
        records.add(new FoundRecord(page, 0, 0, page.bytes().length, Beside.NOTHING, problem));
    }

    @Override
    public void record(int from, int to, String member) {
        PollOptions.Cursor cursor = options.cursor();
        CursorValue value = cursor == null || member == null ? null : cursor.value(member);
        String problem = cursor == null || value != null ? null : member == null
                ? "the record has no `" + cursor.column() + "`, its cursor"
                : "`" + cursor.column() + "`, its cursor, is " + CursorValue.shown(member)
                        + ", which cannot be compared with others";
        records.add(new FoundRecord(page, records.size() + 1, from, to, value == null ? Beside.NOTHING
                : new Beside(value, null, null, false), problem));
    }

    @Override
    public void other(String text) {
        next = text.isBlank() ? null : text;
    }

    private void findLines() {
        byte[] bytes = page.bytes();
        boolean keepsBlank = options.answer().format() == FileFormat.TEXT;
        int line = 0;
        for (int from = 0; from < bytes.length;) {
            int end = from;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            int to = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
            line++;
            if (line > options.answer().skipLines() && (keepsBlank || !isBlank(bytes, from, to))) {
                records.add(new FoundRecord(page, line, from, to, Beside.NOTHING, null));
            }
            from = end + 1;
        }
    }

    /** Whether there is nothing but white space. */
    static boolean isBlank(byte[] bytes, int from, int to) {
        for (int k = from; k < to; k++) {
            if (bytes[k] < 0 || bytes[k] > ' ') {
                return false;
            }
        }
        return true;
    }
}
