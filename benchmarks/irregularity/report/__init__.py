"""The report of a sweep of cutsdf_irregularity.

Downward, each knows those before it:

reading        the files of a run, checked, as rows
comparison     the one rule by which two rows may be divided
study          rows by what was measured, each with its reference
arms, paper    names, colours and marks of the arms; the paper's own figures
analysis       quotients, spreads and decompositions that several sections tell of
document       sections, tables and figures, independent of their format
cells          cells and tables of rows
figures        the figures
claims         the paper's claims, each with the rule of its verdict
opening, verdicts, measurements, loss_section, explanations
               the sections
sections       all of them, in order
writing        HTML and Markdown
"""
