package io.despina.operator.source.file;

import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.disk.FolderNotices;
import io.despina.operator.record.RecordFormat;
import io.despina.spec.EventTime;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.util.function.Function;

/**
 * What a {@link FileSource} reads.
 *
 * @param path      a file, a folder or a glob
 * @param eventTime or null
 * @param parsers   gives Spark's parser for what the byte-level reader does not read; called when first needed
 */
public record FileSourceOptions(String path, RecordFormat.Read records, Reading reading, EventTime eventTime,
        Function<TextOptions, RecordParser> parsers) {

    public FileSourceOptions {
        if (reading.replay.isByEventTime() && eventTime == null) {
            throw new IllegalArgumentException("replay by event time: the source has no event_time");
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
