package io.despina.metrics;

/**
 * What a process has used so far and has now; of a platform that does not tell it, 0.
 *
 * @param cpuSeconds    processor time since its start, user and system
 * @param residentBytes memory
 */
public record ProcessUse(double cpuSeconds, long residentBytes) {
    public static final ProcessUse UNKNOWN = new ProcessUse(0, 0);
}
