package io.despina.kafka;

import io.despina.connect.ReaderHost;
import io.despina.connect.Records;
import io.despina.connect.WriterHost;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The engine, for one instance of an operator: it keeps what it is told. */
final class FakeHost implements ReaderHost, WriterHost {
    final List<Records> given = new ArrayList<>();
    final List<Long> behind = new ArrayList<>();
    final List<String> refused = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    Exception failure;
    boolean fails;

    /** What was given, as {@code partition: offsets -> position behind them}. */
    List<String> batches() {
        return given.stream().map(FakeHost::text).toList();
    }

    private static String text(Records batch) {
        String passage = batch.passage() == Records.Passage.READ ? "" : " " + batch.passage().name().toLowerCase(Locale.ROOT);
        StringBuilder text = new StringBuilder(batch.partition()).append(passage).append(':');
        while (batch.next()) {
            text.append(' ').append(batch.at());
        }
        return text.append(" -> ").append(batch.behind()).append(batch.isLast() ? " end" : "").toString();
    }

    @Override
    public String operator() {
        return "op";
    }

    @Override
    public int instance() {
        return 0;
    }

    @Override
    public int parallelism() {
        return 1;
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public void whenRoom(Runnable resume) {
        resume.run();
    }

    @Override
    public void put(Records records) {
        given.add(records);
    }

    @Override
    public void behind(long records) {
        behind.add(records);
    }

    @Override
    public void failed(Exception why) {
        failure = why;
    }

    @Override
    public void refused(String why, byte[] value) {
        refused.add(new String(value, StandardCharsets.UTF_8) + ": " + why);
    }

    @Override
    public boolean failsOnRefused() {
        return fails;
    }

    @Override
    public void warn(String what) {
        warnings.add(what);
    }
}
