package io.despina.state;

/** What a section has of its state. */
public enum SectionForm {
    /** All entries, without numbers: nothing can be added to it. */
    PLAIN,
    /** All entries, each with its number. */
    WHOLE,
    /** What has changed since the section before it, which is {@link #WHOLE} or of changes itself. */
    CHANGES
}
