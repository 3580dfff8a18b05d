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
import java.util.Map;

/**
 * HiBench's word count: lines of a file, held in memory and sent again and again, are split, and every word gives its new count.
 */
final class WordCount {
    private WordCount() {
    }

    /** The lines of a file, again and again. */
    static final class Lines implements Feeder {
        private final byte[][] lines;
        private int next;

        Lines(String path) {
            try {
                lines = Files.readAllLines(Path.of(path), StandardCharsets.ISO_8859_1).stream()
                        .map(line -> line.getBytes(StandardCharsets.ISO_8859_1)).toArray(byte[][]::new);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
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

    /** Holds each word's counts to 1, 2, 3 …: one look-up per word, and nothing is made for it. */
    static final class Check implements Step {
        private final Meter meter;
        private final Map<Word, long[]> last = new HashMap<>();
        private final Word looked = new Word();
        private volatile long wrong;

        Check(Settings settings) {
            meter = new Meter(settings, "sink", () -> "\"right\": " + (last.isEmpty() ? 0 : 1) + ", \"wrong\": " + wrong);
        }

        @Override
        public void accept(int input, byte[] counted, Out out) {
            meter.add();
            long[] before = last.get(looked.at(counted, Long.BYTES));
            if (before == null) {
                before = new long[1];
                last.put(new Word().at(Arrays.copyOfRange(counted, Long.BYTES, counted.length), 0), before);
            }
            long count = Records.number(counted, 0);
            if (count != before[0] + 1) {
                wrong = wrong + 1;
            }
            before[0] = count;
        }
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
