package io.despina.operator.source.file;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.FileAddress;
import io.despina.operator.FolderNotices;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What a {@link FileSource} reads.
 *
 * @param path      a file, a folder or a glob
 * @param eventTime or null
 * @param parsers   gives Spark's parser for what the byte-level reader does not read; called when first needed
 */
public record FileSourceOptions(String path, Records records, Reading reading, EventTime eventTime,
        Function<TextOptions, RecordParser> parsers) {

    public FileSourceOptions {
        if (reading.replay.isByEventTime() && eventTime == null) {
            throw new IllegalArgumentException("replay by event time: the source has no event_time");
        }
    }

    /**
     * How lines become packets.
     *
     * @param options      Spark's reader options
     * @param columns      CSV: the number of columns in every line; 0 for as many as the schema, or at least as many; {@link
     *                     #BY_NAME} for as many as the file's header, whose names give the places of the columns
     * @param ignoreExtra  CSV: columns beyond the schema are ignored; with {@code columns} 0 there may be any number of them
     * @param unread       CSV: ordinals of columns that need not be read; they may be NULL
     * @param timeZone     of time stamps without a zone
     * @param ansi         as in the graph's settings
     */
    public record Records(FileFormat format, Map<String, String> options, Schema schema, int columns, boolean ignoreExtra,
            Set<Integer> unread, String timeZone, boolean ansi) {
        public static final int BY_NAME = -1;

        public Records {
            options = Map.copyOf(options);
            unread = Set.copyOf(unread);
        }

        /** The same for who has the file's bytes. */
        Records withoutFileSystem() {
            Map<String, String> ofRecords = new HashMap<>(options);
            ofRecords.keySet().removeIf(FileAddress::isSetting);
            return new Records(format, ofRecords, schema, columns, ignoreExtra, unread, timeZone, ansi);
        }
    }

    /**
     * In which way the files are read.
     *
     * @param follow  whether the files grow and the source waits for more; it then never ends
     * @param replay  the pace at which records leave
     * @param preload whether all files are read into memory before the first packet leaves
     * @param repeat  how often; 0 without end
     */
    public record Reading(Follow follow, Replay replay, boolean preload, long repeat) {
        public Reading {
            if (follow != Follow.NO && (preload || repeat != 1)) {
                throw new IllegalArgumentException("follow: growing files have no end, so no preload and no repeat");
            }
        }
    }

    /**
     * What wakes the source from other threads.
     *
     * @param notices of the followed files
     * @param pipe    opens the pipe to read instead of files; null for files
     */
    public record Outside(FolderNotices notices, Pipe.Opener pipe) {
        public static final Outside NONE = new Outside(FolderNotices.NONE, null);
    }
}
