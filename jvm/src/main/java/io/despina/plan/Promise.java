package io.despina.plan;

/**
 * What an operator promises of its rows when the job goes on from an epoch.
 *
 * @param <G>       {@link io.despina.spec.SourceGuarantee} or {@link io.despina.spec.SinkGuarantee}
 * @param guarantee what it promises
 * @param why       what keeps it from more, in words; null if nothing does
 * @param hint      what to write for more; null if there is nothing
 */
public record Promise<G extends Enum<G>>(G guarantee, String why, String hint) {

    /** A promise with nothing against it. */
    public static <G extends Enum<G>> Promise<G> of(G guarantee) {
        return new Promise<>(guarantee, null, null);
    }
}
