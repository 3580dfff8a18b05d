package io.despina.plan;

/** A sink that writes files, or standard output (see {@link StandardStreams}). */
public interface WritesFiles extends OperatorSpec {
    /** Absolute, or a URI: a folder, or one file if {@link #singleFile}. */
    String path();

    boolean singleFile();
}
