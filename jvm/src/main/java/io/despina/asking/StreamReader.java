package io.despina.asking;

import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.operator.Reason;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Takes one long answer as it comes, and asks for it again when it breaks, ends or stalls. While the graph has no room it is not
 * read. The server is told the id of the record that was given last; what it repeats all the same is left out.
 */
final class StreamReader implements PositionReader {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    /** A server whose answers are short is not asked all the time. */
    private static final long AFTER_END_MILLIS = 1_000;

    private final StreamOptions options;
    private final ReaderHost host;
    private final AskingClock clock;
    private final AskingThread thread;
    private HttpAsker asker;
    private StreamProgress given;
    private StreamProgress taken;
    private StreamCutter cutter;
    /** How long it waits before it connects again. */
    private long pause;
    private boolean told;

    StreamReader(StreamOptions options, ReaderHost host, AskingClock clock) {
        this.options = options;
        this.host = host;
        this.clock = clock;
        thread = new AskingThread(host, this::run);
    }

    @Override
    public List<Start> open(Map<String, String> known, boolean resumed) throws IOException {
        asker = new HttpAsker(options.server(), options.events() ? "text/event-stream" : "*/*", clock, host::warn);
        asker.checkSecrets();
        String place = known.get(AnswerBatch.PARTITION);
        given = new StreamProgress(place);
        taken = new StreamProgress(place);
        cutter = new StreamCutter(options, given);
        return List.of(new Start(AnswerBatch.PARTITION, place == null ? given.text(null) : place, false));
    }

    @Override
    public void start() {
        thread.start();
    }

    private void run() throws IOException, InterruptedException {
        while (true) {
            thread.awaitRoom();
            HttpResponse<AnswerBody> answer = asker.askAgain(this::connect);
            String broken = read(answer);
            if (broken == null && options.ends()) {
                host.put(new AnswerBatch(List.of(), new ById(taken), true));
                return;
            }
            if (broken != null && !told) {
                told = true;
                host.warn(asker.shown(answer.uri()) + " " + broken + "; connecting again");
            }
            long least = cutter.retryMillis() >= 0 ? Math.max(FIRST_PAUSE_MILLIS, cutter.retryMillis())
                    : broken == null ? AFTER_END_MILLIS : 0;
            long millis = Math.max(pause, least);
            pause = pause == 0 ? FIRST_PAUSE_MILLIS : Math.min(2 * pause, MOST_PAUSE_MILLIS);
            if (millis > 0) {
                clock.waiting().sleeper().sleep(TimeUnit.MILLISECONDS.toNanos(millis));
            }
        }
    }

    private HttpResponse<AnswerBody> connect() throws IOException, InterruptedException {
        URI url = URI.create(options.server().url());
        Map<String, String> more = new LinkedHashMap<>(Map.of("Accept-Encoding", "identity", "Cache-Control", "no-store"));
        String told = given.told();
        if (told != null && options.events()) {
            more.put("Last-Event-ID", told);
        } else if (given.id() != null && options.id() != null && options.id().parameter() != null) {
            url = AskedUrl.with(url, options.id().parameter(), given.id());
        }
        HttpResponse<AnswerBody> answer = asker.ask(url, more);
        String wrong = wrong(answer);
        if (wrong != null) {
            answer.body().close();
            throw new AnswerRefusedException(asker.shown(url) + " " + wrong);
        }
        return answer;
    }

    /** Why this is no stream; null if it is one. */
    private String wrong(HttpResponse<?> answer) {
        String type = answer.headers().firstValue("Content-Type").orElse("");
        String packed = answer.headers().firstValue("Content-Encoding").orElse("identity");
        if (answer.statusCode() == HttpURLConnection.HTTP_NO_CONTENT) {
            return "answers 204: it has no stream, and wants nobody to ask again";
        }
        if (options.events() && !type.toLowerCase(Locale.ROOT).startsWith("text/event-stream")) {
            return "answers with " + (type.isEmpty() ? "no Content-Type" : asker.shown(type)) + ", not text/event-stream";
        }
        return packed.equalsIgnoreCase("identity") ? null : "answers in Content-Encoding " + asker.shown(packed);
    }

    /** Gives what comes. @return why it comes no more, in words; null at the end of the answer */
    private String read(HttpResponse<AnswerBody> answer) throws InterruptedException {
        cutter.begin();
        String shown = asker.shown(answer.uri());
        try (AnswerBody body = answer.body()) {
            byte[] part;
            while ((part = body.next(options.stallMillis())) != null) {
                cutter.add(part);
                give(shown);
                thread.awaitRoom();
            }
            cutter.end(tellsItsEnd(answer));
            give(shown);
            return null;
        } catch (TimeoutException e) {
            return "gives nothing for stall_ms=" + options.stallMillis();
        } catch (IOException e) {
            return "breaks off its answer: " + asker.shown(Reason.of(e));
        }
    }

    /** Whether an answer that breaks off is told from one that ends. */
    private static boolean tellsItsEnd(HttpResponse<?> answer) {
        return answer.headers().firstValue("Content-Length").isPresent()
                || answer.headers().firstValue("Transfer-Encoding").isPresent();
    }

    private void give(String shown) {
        List<FoundRecord> records = cutter.taken(shown, clock.wallMicros().getAsLong());
        if (!records.isEmpty()) {
            pause = 0;
            told = false;
            host.put(new AnswerBatch(records, new ById(taken), false));
        }
    }

    /** AnswerPlaces of records by their ids. */
    private record ById(StreamProgress taken) implements AnswerBatch.AnswerPlaces {
        @Override
        public String before(FoundRecord record, int index) {
            return taken.text(record.digest());
        }

        @Override
        public void passed(FoundRecord record) {
            taken.passed(record.beside());
        }

        @Override
        public String after() {
            return taken.text(null);
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
