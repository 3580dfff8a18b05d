package io.despina.asking;

import io.despina.asking.FoundRecord.Page;
import io.despina.asking.PollPlace.Tag;
import io.despina.asking.PollPlace.Within;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks for the same URL again and again, page by page. The next page is asked for when the graph has room. With a cursor, each
 * record is given once: the place has the greatest cursor, and what records had it. Without one, each answer stands alone.
 */
final class PollReader implements PositionReader {
    private static final Pattern LINK = Pattern.compile("<([^>]*)>([^<]*)");
    private static final Pattern NEXT = Pattern.compile("(?i);\\s*rel\\s*=\\s*\"?(?:[^\";,]*\\s)?next(?:\\s[^\";,]*)?\"?"
            + "(?:[;,\\s]|$)");
    private static final Pattern CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*\"?([^\\s\";]+)");
    private static final int BOM_BYTES = 3;
    /** Pages of a poll that are remembered, to see that one names an earlier one. */
    private static final int MOST_PAGES = 1_000;

    private final PollOptions options;
    private final ReaderHost host;
    private final AskingClock clock;
    private final AskingThread thread;
    private HttpAsker asker;
    /** What the reader's thread has given, and what the source's thread has taken; null without a cursor. */
    private CursorProgress given;
    private CursorProgress taken;
    private Tag tag;
    /** Where an earlier attempt was within an answer, or null. */
    private Within within;

    PollReader(PollOptions options, ReaderHost host, AskingClock clock) {
        this.options = options;
        this.host = host;
        this.clock = clock;
        thread = new AskingThread(host, this::run);
    }

    private static String accepted(PollOptions options) {
        return switch (options.answer().format()) {
            case JSON -> "application/json, */*;q=0.5";
            case CSV -> "text/csv, */*;q=0.5";
            default -> "text/plain, */*;q=0.5";
        };
    }

    @Override
    public List<Start> open(Map<String, String> known, boolean resumed) throws IOException {
        asker = new HttpAsker(options.server(), accepted(options), clock, host::warn);
        asker.checkSecrets();
        String text = known.get(AnswerBatch.PARTITION);
        PollOptions.Cursor cursor = options.cursor();
        String first = cursor == null ? null : cursor.start();
        PollPlace place = text == null ? new PollPlace(first, null, List.of(), null, null) : PollPlace.of(text);
        if (cursor != null) {
            given = new CursorProgress(cursor, place);
            taken = new CursorProgress(cursor, place);
        }
        tag = place.tag();
        within = cursor != null || place.within() == null || !AskedUrl.areOfOneServer(URI.create(options.server().url()),
                URI.create(place.within().page())) ? null : place.within();     // the login is for the graph's server alone
        return List.of(new Start(AnswerBatch.PARTITION, text == null ? place.text(null) : text, false));
    }

    @Override
    public void start() {
        thread.start();
    }

    private void run() throws IOException, InterruptedException {
        for (boolean ended = false; !ended;) {
            long began = clock.nanos().getAsLong();
            poll();
            ended = options.ends();
            long left = options.everyMillis() * 1_000_000 - (clock.nanos().getAsLong() - began);
            if (!ended && left > 0) {
                clock.waiting().sleeper().sleep(left);
            }
        }
    }

    private void poll() throws IOException, InterruptedException {
        URI first = first();
        URI url = within == null ? first : URI.create(within.page());
        Set<URI> asked = new LinkedHashSet<>();
        GatheredRecords gathered = gathers() ? new GatheredRecords(options.answer().mostBytes()) : null;
        if (given != null) {
            given.beginPoll();
        }
        for (boolean alone = within == null; url != null; alone = false) {
            thread.awaitRoom();
            remember(asked, url);
            URI at = url;
            Tag known = alone && tag != null && tag.of().equals(at.toString()) ? tag : null;
            ReadPage read;
            try {
                read = asker.askAgain(() -> page(at, known));
            } catch (AnswerRefusedException gone) {
                if (within == null) {
                    throw gone;
                }
                host.warn(gone.getMessage() + "; the poll begins anew");
                within = null;
                poll();
                return;
            }
            if (read == null) {
                unchanged();
                return;
            }
            boolean empty = read.response.statusCode() == HttpURLConnection.HTTP_NO_CONTENT;
            FoundRecords found = FoundRecords.in(read.page, options, empty);
            url = next(at, found, read.response, asked);
            tag = alone && url == null ? tag(at, read.response) : null;
            if (gathered == null) {
                give(found.records(), read.page, at, url);
            } else {
                gathered.add(found.records(), read.page);
                if (url == null) {
                    giveNew(gathered.sorted(), true);
                }
            }
        }
    }

    private static void remember(Set<URI> asked, URI url) {
        asked.add(url);
        if (asked.size() > MOST_PAGES) {
            asked.remove(asked.iterator().next());
        }
    }

    private boolean gathers() {
        return options.cursor() != null && !options.cursor().ascending();
    }

    private URI first() {
        URI url = URI.create(options.server().url());
        return given == null || options.cursor().parameter() == null || given.asked() == null ? url
                : AskedUrl.with(url, options.cursor().parameter(), given.asked());
    }

    /** An answer that is not 304. */
    private record ReadPage(HttpResponse<AnswerBody> response, Page page) {
    }

    /** Null if it is as it was. @param known what the server called it then, or null */
    private ReadPage page(URI url, Tag known) throws IOException, InterruptedException {
        Map<String, String> more = new LinkedHashMap<>();
        more.put("Accept-Encoding", "gzip");
        if (known != null && known.etag() != null) {
            more.put("If-None-Match", known.etag());
        }
        if (known != null && known.modified() != null) {
            more.put("If-Modified-Since", known.modified());
        }
        HttpResponse<AnswerBody> response = asker.ask(url, more);
        if (response.statusCode() == HttpURLConnection.HTTP_NOT_MODIFIED) {
            response.body().close();
            if (known == null) {
                throw new AnswerRefusedException(asker.shown(url) + " answers 304, and was not asked whether it has changed");
            }
            return null;
        }
        byte[] bytes = utf8(asker.whole(response, options.answer().mostBytes()), response);
        return new ReadPage(response, new Page(asker.shown(url), bytes, clock.wallMicros().getAsLong()));
    }

    private byte[] utf8(byte[] bytes, HttpResponse<?> response) throws AnswerRefusedException {
        Matcher named = CHARSET.matcher(response.headers().firstValue("Content-Type").orElse(""));
        if (named.find() && !named.group(1).equalsIgnoreCase("utf-8")) {
            try {
                return new String(bytes, Charset.forName(named.group(1))).getBytes(StandardCharsets.UTF_8);
            } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
                throw new AnswerRefusedException(asker.shown(response.uri()) + " answers in the character set "
                        + asker.shown(named.group(1)) + ", which Java does not know", e);
            }
        }
        boolean marked = bytes.length >= BOM_BYTES && bytes[0] == (byte) 0xEF && bytes[1] == (byte) 0xBB
                && bytes[2] == (byte) 0xBF;
        return marked ? Arrays.copyOfRange(bytes, BOM_BYTES, bytes.length) : bytes;
    }

    private static Tag tag(URI of, HttpResponse<?> response) {
        String etag = response.headers().firstValue("ETag").orElse(null);
        String modified = response.headers().firstValue("Last-Modified").orElse(null);
        return etag == null && modified == null ? null : new Tag(of.toString(), etag, modified);
    }

    /** The next page; null behind the last. @param asked the pages before, this one included */
    private URI next(URI at, FoundRecords found, HttpResponse<?> response, Set<URI> asked) throws AnswerRefusedException {
        String named = found.next();
        for (String header : response.headers().allValues("Link")) {
            if (header.length() > AskedUrl.MOST) {
                throw new AnswerRefusedException(asker.shown(at) + " has a header `Link` of more than " + AskedUrl.MOST
                        + " characters");
            }
            Matcher link = LINK.matcher(header);
            while (named == null && link.find()) {
                named = NEXT.matcher(link.group(2)).find() ? link.group(1) : null;
            }
        }
        if (named == null) {
            return null;
        }
        URI next = asker.within(response.uri(), named, "names as the next page");
        if (asked.contains(next)) {
            throw new AnswerRefusedException(asker.shown(at) + " names " + (next.equals(at) ? "itself" : asker.shown(next)
                    + ", which this poll has read,") + " as the next page");
        }
        return next;
    }

    /** Nothing has changed since the last answer. */
    private void unchanged() {
        if (options.ends()) {
            host.put(new AnswerBatch(List.of(), new InAnswer(null, null, 0, here()), true));
        }
    }

    private PollPlace here() {
        return given == null ? PollPlace.withoutCursor(tag, null) : given.place(tag);
    }

    /** Gives the records of a page. @param next null behind the last page */
    private void give(List<FoundRecord> found, Page page, URI at, URI next) throws AnswerRefusedException {
        if (given != null) {
            giveNew(found, next == null);
            return;
        }
        String digest = page.digest();
        boolean again = within != null && digest.equals(within.digest());
        int known = again ? Math.min(within.record(), found.size()) : 0;
        within = null;
        PollPlace after = next == null && !options.ends() ? here() : PollPlace.withoutCursor(null, next == null
                ? new Within(at.toString(), digest, found.size()) : new Within(next.toString(), null, 0));
        host.put(new AnswerBatch(found.subList(known, found.size()), new InAnswer(at, digest, known, after),
                next == null && options.ends()));
    }

    /** AnswerPlaces of records without a cursor. @param known how many of the answer's are before those of the batch */
    private record InAnswer(URI at, String digest, int known, PollPlace behind) implements AnswerBatch.AnswerPlaces {
        @Override
        public String before(FoundRecord record, int index) {
            return PollPlace.withoutCursor(null, new Within(at.toString(), digest, known + index)).text(record.digest());
        }

        @Override
        public void passed(FoundRecord record) {
            // the index says it
        }

        @Override
        public String after() {
            return behind.text(null);
        }
    }

    private void giveNew(List<FoundRecord> found, boolean last) throws AnswerRefusedException {
        List<FoundRecord> fresh = new ArrayList<>();
        for (FoundRecord each : found) {
            FoundRecord judged = given.judged(each);
            if (judged != null) {
                given.take(judged);
                fresh.add(judged);
            }
        }
        boolean moved = last && given.endPoll();
        if (moved) {
            tag = null;     // the next request is another one
        }
        if (!fresh.isEmpty() || moved || last && (options.ends() || tag != null)) {
            host.put(new AnswerBatch(fresh, new ByCursor(taken, last, here()), last && options.ends()));
        }
    }

    /** AnswerPlaces of records with a cursor. @param last whether the poll ends behind them */
    private record ByCursor(CursorProgress taken, boolean last, PollPlace behind) implements AnswerBatch.AnswerPlaces {
        @Override
        public String before(FoundRecord record, int index) {
            return taken.place(null).text(record.digest());
        }

        @Override
        public void passed(FoundRecord record) {
            taken.passed(record);
        }

        @Override
        public String after() {
            if (last) {
                taken.endPoll();
            }
            return behind.text(null);
        }
    }

    @Override
    public void stop() {
        thread.stop();
    }

    @Override
    public void close() {
        thread.stop();
    }
}
