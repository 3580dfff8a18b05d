package io.despina.compare.hibench;

import io.despina.compare.Feeder;
import io.despina.compare.Meter;
import io.despina.compare.Settings;
import io.despina.compare.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * HiBench's word count: lines of a file, held in memory and sent again and again, are split, and every word gives its new count.
 */
final class WordCount {
    private WordCount() {
    }

    private static List<String> lines(String path) {
        try {
            return Files.readAllLines(Path.of(path), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines of a file, again and again. */
    static final class Lines implements Feeder {
        private final byte[][] lines;
        private int next;

        Lines(String path) {
            lines = lines(path).stream().map(line -> line.getBytes(StandardCharsets.ISO_8859_1)).toArray(byte[][]::new);
        }

        @Override
        public byte[] next() {
            byte[] line = lines[next];
            next = next + 1 == lines.length ? 0 : next + 1;
            return line;
        }

        @Override
        public boolean isDone() {
            return false;
        }
    }

    /** The words of a line. */
    static final class Split implements Step {
        @Override
        public void accept(int input, byte[] line, Out out) {
            int begin = 0;
            for (int k = 0; k <= line.length; k++) {
                if (k == line.length || line[k] == ' ') {
                    out.emit(Arrays.copyOfRange(line, begin, k));
                    begin = k + 1;
                }
            }
        }
    }

    /** Each word with how often it has come. */
    static final class Counts implements Step {
        private final Meter meter;
        private final Map<String, long[]> counts = new HashMap<>();

        Counts(Settings settings) {
            meter = new Meter(settings, "events", () -> "");
        }

        @Override
        public void accept(int input, byte[] word, Out out) {
            meter.add();
            long[] count = counts.computeIfAbsent(new String(word, StandardCharsets.ISO_8859_1), key -> new long[1]);
            count[0]++;
            out.emit(Records.counted(count[0], word));
        }
    }

    /**
     * Holds each word's counts to 1, 2, 3 …, and all of them, each time that the lines have come once more, to how often the
     * words are in them: what was lost on the way to the counts is missing there. One look-up per word, and nothing is made for
     * it.
     */
    static final class Check implements Step {
        private final Meter meter;
        private final Map<Word, Tally> tallies = new HashMap<>();
        private final Word looked = new Word();
        /** Words in all lines. */
        private long whole;
        private long left;
        private long rounds;
        private volatile long right;
        private volatile long wrong;

        Check(Settings settings) {
            new Split().accept(0, String.join(" ", lines(settings.text("input"))).getBytes(StandardCharsets.ISO_8859_1), word -> {
                tallies.computeIfAbsent(new Word().at(word, 0), key -> new Tally()).often++;
                whole++;
            });
            left = whole;
            meter = new Meter(settings, "sink", () -> "\"right\": " + right + ", \"wrong\": " + wrong);
        }

        @Override
        public void accept(int input, byte[] counted, Out out) {
            meter.add();
            Tally tally = tallies.get(looked.at(counted, Long.BYTES));
            long count = Records.number(counted, 0);
            if (tally == null || count != tally.last + 1) {
                wrong = wrong + 1;
            }
            if (tally != null) {
                tally.last = count;
            }
            if (--left == 0) {
                left = whole;
                rounds++;
                boolean same = tallies.values().stream().allMatch(each -> each.last == rounds * each.often);
                right = right + (same ? 1 : 0);
                wrong = wrong + (same ? 0 : 1);
            }
        }
    }

    /** Of a word. */
    private static final class Tally {
        /** In all lines. */
        private long often;
        private long last;
    }

    /** A word within a record, as a key; the one that looks up is set to each record in turn. */
    private static final class Word {
        private byte[] bytes;
        private int from;
        private int hash;

        /** From there to the record's end. */
        Word at(byte[] of, int begin) {
            bytes = of;
            from = begin;
            hash = 0;
            for (int k = begin; k < of.length; k++) {
                hash = 31 * hash + of[k];
            }
            return this;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Word word
                    && Arrays.equals(bytes, from, bytes.length, word.bytes, word.from, word.bytes.length);
        }
    }
}
