package io.despina.log;

/** Who appends to a log, and is told by its threads. No call may block. */
public interface LogOwner {

    /** There is room again, after there was none. */
    void room();

    /** Something is wrong that may pass; the log tries again. @param words for the user */
    void warn(String words);
}
