package io.despina.placement;

/**
 * Who may use the processors of a resource.
 *
 * @param isExclusive no other job has its process, or one that is bound to one of its processors
 * @param overcommits whether more threads may be busy on them than there are processors
 */
public record ProcessorUse(boolean isExclusive, boolean overcommits) {
    static final ProcessorUse SHARED = new ProcessorUse(false, true);
}
