package io.despina.plan;

/** A sink that writes files, or standard output (see {@link StandardStreams}). */
public interface WritesFiles extends OperatorSpec {
    /** An absolute path or a URI, of a folder, or of one file if {@link #singleFile}. */
    String path();

    boolean singleFile();
}
