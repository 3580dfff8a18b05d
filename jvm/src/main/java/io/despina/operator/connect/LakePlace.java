package io.despina.operator.connect;

import java.util.Map;

/**
 * How far a source is in a table of files.
 *
 * @param table which one it is; empty in snapshots from before this was known
 * @param whole whether all files of the version are read; else those that it has added
 * @param files that have been read
 * @param file  the one behind them, if rows of it have been read; else empty
 * @param rows  of it that have been read
 */
record LakePlace(String table, long version, boolean whole, int files, String file, long rows) {
    private static final String TABLE = "table";
    private static final String VERSION = "version";
    private static final String WHOLE = "whole";
    private static final String FILES = "files";
    private static final String FILE = "file";
    private static final String ROWS = "rows";

    static LakePlace before(String table, long version, boolean whole) {
        return new LakePlace(table, version, whole, 0, "", 0);
    }

    LakePlace in(String known) {
        return new LakePlace(known, version, whole, files, file, rows);
    }

    LakePlace within(String path, long read) {
        return new LakePlace(table, version, whole, files, path, read);
    }

    LakePlace nextFile() {
        return new LakePlace(table, version, whole, files + 1, "", 0);
    }

    LakePlace nextVersion() {
        return before(table, version + 1, false);
    }

    Map<String, String> texts() {
        return Map.of(TABLE, table, VERSION, Long.toString(version), WHOLE, Boolean.toString(whole), FILES,
                Integer.toString(files), FILE, file, ROWS, Long.toString(rows));
    }

    static LakePlace of(Map<String, String> texts) {
        return new LakePlace(texts.getOrDefault(TABLE, ""), Long.parseLong(texts.get(VERSION)),
                Boolean.parseBoolean(texts.get(WHOLE)), Integer.parseInt(texts.get(FILES)), texts.get(FILE),
                Long.parseLong(texts.get(ROWS)));
    }
}
