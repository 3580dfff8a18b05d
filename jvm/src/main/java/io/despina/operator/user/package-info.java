/** Runs classes of the user's that implement {@code io.despina.api}: maps its rows, states and contexts onto packets. */
package io.despina.operator.user;
