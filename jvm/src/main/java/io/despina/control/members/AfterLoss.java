package io.despina.control.members;

/**
 * What becomes of a job that loses a resource.
 *
 * @param spares how many more stand by, to take the part of one that is lost
 * @param goesOn whether it keeps a state from which it can go on, so that it gains by hearing of the loss soon
 */
public record AfterLoss(int spares, boolean goesOn) {
}
