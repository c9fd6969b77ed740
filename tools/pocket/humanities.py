"""People, works, events and words of the liberal arts, all listed by hand.

Long because its tables are long: a line per field, a line per work, a line per event, a line per word.
"""

from __future__ import annotations

import random

from row import Generator, Row, choose, spread
from tables import N, belonging, lines, sections, unique

PEOPLE = """
physics: Albert Einstein, Isaac Newton, Niels Bohr, Stephen Hawking, Max Planck, Richard Feynman, Werner Heisenberg, Enrico Fermi, Erwin Schrödinger, James Clerk Maxwell, Ernest Rutherford, Lise Meitner
chemistry: Antoine Lavoisier, Dmitri Mendeleev, Linus Pauling, Fritz Haber, Dorothy Hodgkin, Robert Boyle, John Dalton
biology: Charles Darwin, Gregor Mendel, Carl Linnaeus, Barbara McClintock, Francis Crick
mathematics: Euclid, Carl Friedrich Gauss, Leonhard Euler, Emmy Noether, Bernhard Riemann, Srinivasa Ramanujan, Kurt Gödel, Pierre de Fermat, David Hilbert
astronomy: Nicolaus Copernicus, Johannes Kepler, Edwin Hubble, Tycho Brahe, Carl Sagan, William Herschel, Vera Rubin
painting: Vincent van Gogh, Pablo Picasso, Claude Monet, Rembrandt, Frida Kahlo, Salvador Dalí, Paul Cézanne, Henri Matisse, Johannes Vermeer, Jackson Pollock, Caravaggio, Georgia O'Keeffe, Edvard Munch, Gustav Klimt, Francisco Goya
music: Ludwig van Beethoven, Wolfgang Amadeus Mozart, Johann Sebastian Bach, Frédéric Chopin, Igor Stravinsky, Antonio Vivaldi, Franz Schubert, Giuseppe Verdi, Louis Armstrong, Elvis Presley, Richard Wagner, Bob Marley, Ella Fitzgerald, Miles Davis, Johannes Brahms
literature: William Shakespeare, Jane Austen, Charles Dickens, Leo Tolstoy, Mark Twain, Franz Kafka, Virginia Woolf, Ernest Hemingway, Gabriel García Márquez, Emily Dickinson, Toni Morrison, Fyodor Dostoevsky, James Joyce, Agatha Christie, John Keats
philosophy: Plato, Immanuel Kant, Friedrich Nietzsche, Socrates, David Hume, Arthur Schopenhauer, Baruch Spinoza, Søren Kierkegaard, Simone de Beauvoir, Martin Heidegger, Ludwig Wittgenstein
politics: Winston Churchill, Abraham Lincoln, Franklin Roosevelt, Margaret Thatcher, Otto von Bismarck, Charles de Gaulle, Angela Merkel, Jawaharlal Nehru, Indira Gandhi, Mikhail Gorbachev, Golda Meir
economics: Adam Smith, John Maynard Keynes, Milton Friedman, Friedrich Hayek, David Ricardo, Amartya Sen
psychology: Sigmund Freud, Carl Jung, Jean Piaget, Abraham Maslow, Ivan Pavlov, Alfred Adler
exploration: Christopher Columbus, Ferdinand Magellan, James Cook, Marco Polo, Roald Amundsen, Vasco da Gama, Ernest Shackleton
architecture: Frank Lloyd Wright, Antoni Gaudí, Le Corbusier, Zaha Hadid, Frank Gehry, Ludwig Mies van der Rohe
sculpture: Auguste Rodin, Donatello, Henry Moore, Alberto Giacometti, Gian Lorenzo Bernini
film: Alfred Hitchcock, Charlie Chaplin, Akira Kurosawa, Steven Spielberg, Ingmar Bergman, Federico Fellini, Stanley Kubrick, Martin Scorsese, Marilyn Monroe
sport: Muhammad Ali, Pelé, Michael Jordan, Serena Williams, Jesse Owens, Usain Bolt, Babe Ruth, Diego Maradona, Roger Federer, Nadia Comaneci
medicine: Hippocrates, Edward Jenner, Florence Nightingale, Joseph Lister, Jonas Salk, Galen
dance: Anna Pavlova, Martha Graham, Rudolf Nureyev, Isadora Duncan, Vaslav Nijinsky
war: Napoleon Bonaparte, Hannibal, Genghis Khan, Erwin Rommel, Horatio Nelson, Robert E. Lee
fashion: Coco Chanel, Christian Dior, Gianni Versace, Yves Saint Laurent, Giorgio Armani
"""  # noqa: E501 - one field, one line

#: Fields in which one person may be at home at once.
CLOSE = [
    {"physics", "chemistry", "mathematics", "astronomy", "philosophy", "biology", "medicine"},
    {"painting", "sculpture", "architecture"}, {"politics", "war", "economics", "literature", "philosophy", "exploration"},
    {"psychology", "medicine", "biology", "philosophy"}, {"music", "dance", "film"},
]  # fmt: skip


def people(rng: random.Random) -> list[Row]:
    """Ask for the field a person is famous in."""
    return belonging(rng, PEOPLE, "In which field did {x} become famous?", apart=CLOSE, fact="person")


#: Works by makers; the wrong options are makers of the same kind, so that the kind does not tell.
WORKS = """
== plays and novels before 1900
Hamlet | William Shakespeare
Macbeth | William Shakespeare
Romeo and Juliet | William Shakespeare
King Lear | William Shakespeare
Othello | William Shakespeare
Pride and Prejudice | Jane Austen
Emma | Jane Austen
Sense and Sensibility | Jane Austen
Oliver Twist | Charles Dickens
Great Expectations | Charles Dickens
A Tale of Two Cities | Charles Dickens
David Copperfield | Charles Dickens
A Christmas Carol | Charles Dickens
Frankenstein | Mary Shelley
Dracula | Bram Stoker
Jane Eyre | Charlotte Brontë
Wuthering Heights | Emily Brontë
Moby-Dick | Herman Melville
The Scarlet Letter | Nathaniel Hawthorne
The Raven | Edgar Allan Poe
The Fall of the House of Usher | Edgar Allan Poe
The Adventures of Tom Sawyer | Mark Twain
Adventures of Huckleberry Finn | Mark Twain
Uncle Tom's Cabin | Harriet Beecher Stowe
Little Women | Louisa May Alcott
Treasure Island | Robert Louis Stevenson
Strange Case of Dr Jekyll and Mr Hyde | Robert Louis Stevenson
The Picture of Dorian Gray | Oscar Wilde
The Importance of Being Earnest | Oscar Wilde
Alice's Adventures in Wonderland | Lewis Carroll
Robinson Crusoe | Daniel Defoe
Gulliver's Travels | Jonathan Swift
Paradise Lost | John Milton
The Canterbury Tales | Geoffrey Chaucer
Middlemarch | George Eliot
The Time Machine | H. G. Wells
The War of the Worlds | H. G. Wells
The Jungle Book | Rudyard Kipling
Walden | Henry David Thoreau
Leaves of Grass | Walt Whitman
Ivanhoe | Walter Scott
Vanity Fair | William Thackeray
Tess of the d'Urbervilles | Thomas Hardy
== novels since 1900
The Great Gatsby | F. Scott Fitzgerald
The Old Man and the Sea | Ernest Hemingway
A Farewell to Arms | Ernest Hemingway
For Whom the Bell Tolls | Ernest Hemingway
The Grapes of Wrath | John Steinbeck
Of Mice and Men | John Steinbeck
East of Eden | John Steinbeck
To Kill a Mockingbird | Harper Lee
The Catcher in the Rye | J. D. Salinger
Nineteen Eighty-Four | George Orwell
Animal Farm | George Orwell
Brave New World | Aldous Huxley
Lord of the Flies | William Golding
The Hobbit | J. R. R. Tolkien
The Lord of the Rings | J. R. R. Tolkien
The Lion, the Witch and the Wardrobe | C. S. Lewis
Ulysses | James Joyce
Dubliners | James Joyce
Mrs Dalloway | Virginia Woolf
To the Lighthouse | Virginia Woolf
The Sound and the Fury | William Faulkner
As I Lay Dying | William Faulkner
Beloved | Toni Morrison
Things Fall Apart | Chinua Achebe
Fahrenheit 451 | Ray Bradbury
Slaughterhouse-Five | Kurt Vonnegut
Catch-22 | Joseph Heller
On the Road | Jack Kerouac
The Handmaid's Tale | Margaret Atwood
Charlie and the Chocolate Factory | Roald Dahl
Matilda | Roald Dahl
Murder on the Orient Express | Agatha Christie
And Then There Were None | Agatha Christie
The Shining | Stephen King
Carrie | Stephen King
Jurassic Park | Michael Crichton
The Da Vinci Code | Dan Brown
Casino Royale | Ian Fleming
Peter Pan | J. M. Barrie
Heart of Darkness | Joseph Conrad
The Call of the Wild | Jack London
White Fang | Jack London
Gone with the Wind | Margaret Mitchell
The Color Purple | Alice Walker
Midnight's Children | Salman Rushdie
The Hitchhiker's Guide to the Galaxy | Douglas Adams
A Game of Thrones | George R. R. Martin
Dune | Frank Herbert
I, Robot | Isaac Asimov
Winnie-the-Pooh | A. A. Milne
The Cat in the Hat | Dr. Seuss
Death of a Salesman | Arthur Miller
The Crucible | Arthur Miller
A Streetcar Named Desire | Tennessee Williams
Waiting for Godot | Samuel Beckett
Pygmalion | George Bernard Shaw
== books not first written in English
Don Quixote | Miguel de Cervantes
War and Peace | Leo Tolstoy
Anna Karenina | Leo Tolstoy
Crime and Punishment | Fyodor Dostoevsky
The Brothers Karamazov | Fyodor Dostoevsky
The Cherry Orchard | Anton Chekhov
Eugene Onegin | Alexander Pushkin
The Divine Comedy | Dante Alighieri
The Prince | Niccolò Machiavelli
The Iliad | Homer
The Odyssey | Homer
The Aeneid | Virgil
The Republic | Plato
Oedipus Rex | Sophocles
Faust | Goethe
The Metamorphosis | Franz Kafka
The Trial | Franz Kafka
Les Misérables | Victor Hugo
The Hunchback of Notre-Dame | Victor Hugo
The Three Musketeers | Alexandre Dumas
The Count of Monte Cristo | Alexandre Dumas
Madame Bovary | Gustave Flaubert
Candide | Voltaire
The Stranger | Albert Camus
The Plague | Albert Camus
In Search of Lost Time | Marcel Proust
The Little Prince | Antoine de Saint-Exupéry
Twenty Thousand Leagues Under the Sea | Jules Verne
Around the World in Eighty Days | Jules Verne
One Hundred Years of Solitude | Gabriel García Márquez
Love in the Time of Cholera | Gabriel García Márquez
The Name of the Rose | Umberto Eco
The Alchemist | Paulo Coelho
A Doll's House | Henrik Ibsen
The Communist Manifesto | Karl Marx
Thus Spoke Zarathustra | Friedrich Nietzsche
The Magic Mountain | Thomas Mann
The Ugly Duckling | Hans Christian Andersen
The Interpretation of Dreams | Sigmund Freud
Doctor Zhivago | Boris Pasternak
Critique of Pure Reason | Immanuel Kant
The Decameron | Giovanni Boccaccio
== paintings and sculptures
Mona Lisa | Leonardo da Vinci
Lady with an Ermine | Leonardo da Vinci
The Starry Night | Vincent van Gogh
The Potato Eaters | Vincent van Gogh
Guernica | Pablo Picasso
The Persistence of Memory | Salvador Dalí
The Scream | Edvard Munch
Girl with a Pearl Earring | Johannes Vermeer
The Night Watch | Rembrandt
The Creation of Adam | Michelangelo
The Birth of Venus | Sandro Botticelli
The School of Athens | Raphael
Portrait of Adele Bloch-Bauer I | Gustav Klimt
Water Lilies | Claude Monet
Nighthawks | Edward Hopper
American Gothic | Grant Wood
The Thinker | Auguste Rodin
The Great Wave off Kanagawa | Hokusai
Las Meninas | Diego Velázquez
The Garden of Earthly Delights | Hieronymus Bosch
== music
The Magic Flute | Wolfgang Amadeus Mozart
Don Giovanni | Wolfgang Amadeus Mozart
The Moonlight Sonata | Ludwig van Beethoven
Für Elise | Ludwig van Beethoven
The Four Seasons | Antonio Vivaldi
The Brandenburg Concertos | Johann Sebastian Bach
The Nutcracker | Pyotr Tchaikovsky
Swan Lake | Pyotr Tchaikovsky
The Rite of Spring | Igor Stravinsky
Messiah | George Frideric Handel
The Ring of the Nibelung | Richard Wagner
La Traviata | Giuseppe Verdi
Aida | Giuseppe Verdi
Madama Butterfly | Giacomo Puccini
Carmen | Georges Bizet
Boléro | Maurice Ravel
Clair de lune | Claude Debussy
The Blue Danube | Johann Strauss
Rhapsody in Blue | George Gershwin
The Planets | Gustav Holst
"""


def works(rng: random.Random) -> list[Row]:
    """Ask who made a book, a picture or a piece of music."""
    kinds = {"paintings and sculptures": "work of art", "music": "piece of music"}
    entries: dict[str, list[tuple[str, str]]] = {}
    name = ""
    for line in lines(WORKS):
        if line.startswith("=="):
            name = line.strip("= ")
            continue
        work, maker = (part.strip() for part in line.split("|"))
        entries.setdefault(name, []).append((work, maker))
    rows = []
    for name, listed in entries.items():
        makers = list(dict.fromkeys(maker for _, maker in listed))
        kind = kinds.get(name, "work of literature")
        for work, maker in listed:
            asked = f'Who created the {kind} "{work}"?'
            rows.append(choose(rng, asked, maker, makers, facts={"work": work, "kind": kind}, cluster=maker))
    return spread(rng, unique(rows), N)


#: Each event with its year. Years that historians argue about are left out.
EVENTS = """
Columbus first reached the Americas | 1492
The American Declaration of Independence was signed | 1776
The French Revolution began | 1789
The First World War began | 1914
The First World War ended | 1918
The Second World War began in Europe | 1939
The Second World War ended | 1945
The Berlin Wall fell | 1989
The Berlin Wall was built | 1961
The first people landed on the Moon | 1969
The Titanic sank | 1912
The Battle of Hastings was fought | 1066
King John sealed Magna Carta | 1215
The Battle of Waterloo was fought | 1815
The American Civil War began | 1861
The American Civil War ended | 1865
President Lincoln was shot | 1865
President Kennedy was shot | 1963
The Russian Revolution took place | 1917
The Soviet Union was dissolved | 1991
The attack on Pearl Harbor took place | 1941
The atomic bomb was dropped on Hiroshima | 1945
The Wall Street crash set off the Great Depression | 1929
India became independent of Britain | 1947
Nelson Mandela became president of South Africa | 1994
The United Nations was founded | 1945
The terror attacks on the World Trade Center took place | 2001
The Great Fire of London burned | 1666
The Spanish Armada was defeated | 1588
The Pilgrims of the Mayflower landed at Plymouth | 1620
Constantinople fell to the Ottomans | 1453
Martin Luther published his Ninety-five Theses | 1517
The Louisiana Purchase was made | 1803
The Mexican-American War ended | 1848
The United States bought Alaska from Russia | 1867
The Suez Canal opened | 1869
The Eiffel Tower was completed | 1889
Queen Victoria came to the throne | 1837
Queen Victoria died | 1901
The Wright brothers made their first powered flight | 1903
San Francisco was struck by a great earthquake | 1906
The Panama Canal opened | 1914
Women won the vote across the United States | 1920
Alexander Fleming discovered penicillin | 1928
Hitler became chancellor of Germany | 1933
The Spanish Civil War began | 1936
Germany invaded the Soviet Union | 1941
The D-Day landings in Normandy took place | 1944
The state of Israel was declared | 1948
The People's Republic of China was founded | 1949
The Korean War began | 1950
Elizabeth the Second was crowned | 1953
Edmund Hillary and Tenzing Norgay first climbed Mount Everest | 1953
Rosa Parks refused to give up her seat on a bus | 1955
The satellite Sputnik was launched | 1957
Fidel Castro took power in Cuba | 1959
Yuri Gagarin became the first man in space | 1961
The Cuban missile crisis took place | 1962
Martin Luther King gave his speech "I have a dream" | 1963
The American Civil Rights Act was passed | 1964
Martin Luther King was killed | 1968
President Nixon resigned | 1974
The Vietnam War ended with the fall of Saigon | 1975
Margaret Thatcher became prime minister of Britain | 1979
The Iranian Revolution took place | 1979
The Chernobyl disaster happened | 1986
The space shuttle Challenger broke apart | 1986
Germany was reunited | 1990
The Hubble Space Telescope was launched | 1990
The Tiananmen Square protests were crushed | 1989
The genocide in Rwanda took place | 1994
The Channel Tunnel opened | 1994
Hong Kong was returned to China | 1997
Princess Diana died | 1997
The euro was introduced as cash | 2002
The United States invaded Iraq | 2003
Hurricane Katrina struck New Orleans | 2005
The first iPhone went on sale | 2007
Barack Obama was first elected president | 2008
Osama bin Laden was killed | 2011
Britain voted to leave the European Union | 2016
The World Health Organization declared the COVID-19 pandemic | 2020
Russia annexed Crimea | 2014
Russia began its full-scale invasion of Ukraine | 2022
Facebook was founded | 2004
Microsoft was founded | 1975
Google was founded | 1998
Wikipedia was launched | 2001
Amazon was founded | 1994
The Great Exhibition was held in London | 1851
Charles Darwin published On the Origin of Species | 1859
Isaac Newton published the Principia | 1687
Copernicus published his book on the motion of the planets | 1543
Shakespeare died | 1616
Henry the Eighth became king of England | 1509
Elizabeth the First became queen of England | 1558
Charles the First of England was beheaded | 1649
The Thirty Years' War began | 1618
The Peace of Westphalia was signed | 1648
The Glorious Revolution in England took place | 1688
The Act of Union joined England and Scotland | 1707
The Seven Years' War began | 1756
The Boston Tea Party took place | 1773
George Washington became president | 1789
Napoleon crowned himself emperor | 1804
The Battle of Trafalgar was fought | 1805
Napoleon invaded Russia | 1812
The Congress of Vienna ended | 1815
Mexico won its independence from Spain | 1821
Brazil declared its independence from Portugal | 1822
The British Parliament voted to end slavery in most of the empire | 1833
The Communist Manifesto was published | 1848
The California Gold Rush began | 1848
The Crimean War began | 1853
The Battle of Gettysburg was fought | 1863
The first transcontinental railroad in America was completed | 1869
The German Empire was proclaimed | 1871
Alexander Graham Bell patented the telephone | 1876
The Statue of Liberty was dedicated | 1886
The first modern Olympic Games were held in Athens | 1896
The Spanish-American War was fought | 1898
Australia became a federation | 1901
Einstein published the special theory of relativity | 1905
The last emperor of China gave up the throne | 1912
Archduke Franz Ferdinand was shot in Sarajevo | 1914
The Treaty of Versailles was signed | 1919
Prohibition began in the United States | 1920
The tomb of Tutankhamun was found | 1922
The Soviet Union was founded | 1922
Charles Lindbergh flew alone across the Atlantic | 1927
The Empire State Building was completed | 1931
Franklin Roosevelt was first elected president | 1932
The Hindenburg airship burned | 1937
Winston Churchill first became prime minister | 1940
Gandhi was killed | 1948
NATO was founded | 1949
Stalin died | 1953
The structure of DNA was published by Watson and Crick | 1953
The Treaty of Rome on a European Economic Community was signed | 1957
Ghana became independent | 1957
Disneyland opened in California | 1955
Nelson Mandela was freed from prison | 1990
The Woodstock festival took place | 1969
The Watergate break-in happened | 1972
Apple was founded | 1976
John Lennon was shot | 1980
Ronald Reagan was first elected president | 1980
The Falklands War was fought | 1982
The Dayton Agreement ended the war in Bosnia | 1995
Dolly the cloned sheep was born | 1996
The Good Friday Agreement was signed | 1998
The Indian Ocean tsunami killed over two hundred thousand people | 2004
Lehman Brothers went bankrupt | 2008
The earthquake that wrecked the Fukushima power plant struck | 2011
The Paris climate agreement was adopted | 2015
Donald Trump was first elected president | 2016
Queen Elizabeth the Second died | 2022
Charlemagne was crowned emperor | 800
The First Crusade was called | 1095
Marco Polo set out for China | 1271
The Black Death reached England | 1348
Joan of Arc was burned | 1431
Vasco da Gama reached India by sea | 1498
Magellan's expedition set out to sail round the world | 1519
The Gunpowder Plot was uncovered | 1605
Galileo was tried by the Inquisition | 1633
The Peasants' Revolt shook England | 1381
"""


def events(rng: random.Random) -> list[Row]:
    """Ask for the year of an event; the other years are events of the table that lie 5 to 40 years away."""
    listed = []
    for line in lines(EVENTS):
        event, told = (part.strip() for part in line.split("|"))
        listed.append((event, int(told)))
    years = sorted({year for _, year in listed})
    rows = []
    for event, year in listed:
        near = [str(y) for y in years if 5 <= abs(y - year) <= 40]
        if len(near) < 3:
            near = [str(y) for y in years if 5 <= abs(y - year) <= 500]
        rows.append(choose(rng, f"{event} in the year", str(year), near, cluster=str(year)))
    return spread(rng, unique(rows), N)


TERMS = """
== government
Rule by a king or queen is called | monarchy
Rule by the people, through votes, is called | democracy | republic
Rule by a single person with absolute power is called | dictatorship | monarchy
Rule by a small powerful group is called | oligarchy
Rule by priests in the name of a god is called | theocracy
The absence of any government is called | anarchy
A state without a monarch, whose head is usually elected, is called a | republic | democracy
A union of states that share power with a central government is called a | federation | republic
A rule of one country over many distant lands and peoples is called an | empire
== institutions
The part of government that makes the laws is the | legislature
The part of government that carries out the laws is the | executive
The part of government that consists of courts and judges is the | judiciary
The highest law of a state is the | constitution
A group that seeks to win elections under one name is a | party
A vote by all citizens on a single question is a | referendum
The formal agreement between two states is a | treaty
An official count of the people of a country is a | census
A person's legal membership in a country is called | citizenship
The building in which a country is represented abroad is an | embassy
A refusal by a president to sign a bill into law is a | veto
A charge brought by lawmakers against a president is called | impeachment
The forgiveness of a crime by a head of state is a | pardon
== economics
A general rise in prices is called | inflation
A general fall in prices is called | deflation
A long and deep fall of economic activity is a | depression | recession
A short fall of economic activity lasting some months is a | recession | depression
A market with only one seller is a | monopoly
A tax on goods brought into a country is a | tariff
Goods that a country sells abroad are called | exports
Goods that a country buys abroad are called | imports
Money paid by a government to support a business is a | subsidy
What is left of income after all costs are paid is the | profit
A share in the ownership of a company is called a | stock
A loan to a government or company that pays interest is a | bond
The price paid for borrowing money is | interest
A loan used to buy a house is a | mortgage
A plan of income and spending is a | budget
The state of being unable to pay one's debts is | bankruptcy
The amount of a good that buyers want at a price is the | demand
The amount of a good that sellers offer at a price is the | supply
The value of all that a country makes in a year is its | GDP
An organization of workers that bargains over wages is a | union
A sum of money that a worker earns per hour is a | wage
A payment every citizen owes the state is a | tax
An economy in which owners are private and markets are free is called | capitalism
An economy in which the state or the community owns industry is called | socialism
The exchange of goods without money is called | barter
A sale to the person who bids most is an | auction
A business that sells under another firm's name, for a fee, is a | franchise
A payment to an insurer for protection is a | premium
A firm's gain that is paid out to its shareholders is a | dividend
== law
A promise that can be enforced in court is a | contract
A person who is accused in a criminal trial is the | defendant
A person who tells a court what they saw is a | witness
The group of citizens that decides on guilt in a trial is the | jury
The decision of a jury is called the | verdict
Money left with the court so that the accused may go free until trial is | bail
Lying under oath is called | perjury
The killing of one person by another on purpose is | murder
Setting fire to a building on purpose is | arson
Breaking into a house in order to steal is | burglary
Taking money in secret from one's employer's accounts is | embezzlement
Demanding money by threats of revealing a secret is | blackmail
Betraying one's own country is | treason
Offering money to an official for a favor is | bribery
The right of an author to control copies of a work is | copyright
The right of an inventor to control an invention is a | patent
A document that says who gets one's goods after death is a | will
Asking a higher court to change a decision is an | appeal
A law court's order to pay money as a punishment is a | fine
A police paper that allows a house to be searched is a | warrant
A promise to tell the truth in court is an | oath
Spoken lies that harm a person's good name are called | slander
Bringing goods across a border in secret is called | smuggling
== religion
The holy book of Islam is the | Quran
The holy book of Christianity is the | Bible
The holy book of Judaism is the | Torah
The oldest holy texts of Hinduism are the | Vedas
A Muslim house of prayer is a | mosque
A Jewish house of prayer is a | synagogue
A Christian house of prayer is a | church
The Muslim month of fasting is | Ramadan
The Christian feast of the resurrection is | Easter
The Jewish feast of the exodus from Egypt is | Passover
The Hindu festival of lights is | Diwali
The belief that no god exists is | atheism
The belief in one god is | monotheism
The belief in many gods is | polytheism
The founder of Buddhism was | Siddhartha Gautama
The founder of Taoism is said to be | Laozi
The prophet of Islam was | Muhammad
The leader of the Catholic Church is the | Pope
A journey to a holy place is a | pilgrimage
A man who lives by vows in a monastery is a | monk
A person who dies for a faith is a | martyr
The laws that Moses received on Mount Sinai are the | Ten Commandments
== philosophy and psychology
The branch of philosophy that asks what is right and wrong is | ethics
The branch of philosophy that asks what knowledge is, is | epistemology
The branch of philosophy that asks what exists is | metaphysics | ontology
The branch of philosophy that asks what beauty is, is | aesthetics
The study of valid reasoning is | logic
The study of being is also called | ontology | metaphysics
The view that the right act brings the greatest happiness to most people is | utilitarianism
The view that knowledge comes from the senses is | empiricism
The view that knowledge comes from reason is | rationalism
The ancient school that taught calm acceptance of fate is | stoicism
The view that all events are fixed by earlier causes is | determinism
The view that nothing has meaning or value is | nihilism
Strong fear of a harmless thing is a | phobia
Loss of memory is called | amnesia
Being unable to fall asleep is called | insomnia
A false belief held against all evidence is a | delusion
Seeing or hearing what is not there is a | hallucination
Learning to link two events, as Pavlov's dogs did, is called | conditioning
The tendency to look only for evidence for what one believes is called | confirmation bias
A fake treatment that still makes people feel better is a | placebo
== arts and letters
A poem of fourteen lines is a | sonnet
A Japanese poem of seventeen syllables is a | haiku
A comic poem of five lines is a | limerick
A long poem about the deeds of heroes is an | epic
A story of one's own life written by oneself is an | autobiography | biography
A story of a person's life written by another is a | biography | autobiography
A play with a sad ending is a | tragedy
A short tale with animals and a moral is a | fable
A comparison that uses the word like or as is a | simile
Calling one thing another, without like or as, is a | metaphor
Giving human traits to things is called | personification
Words whose sound is like their meaning show | onomatopoeia
Repeating the first sound of words is called | alliteration
Great exaggeration for effect is called | hyperbole
A picture made of small colored stones is a | mosaic
A painting on wet plaster is a | fresco
A picture of a person is a | portrait
A picture of fields, hills and sky is a | landscape
A picture of fruit or flowers on a table is a | still life
A play in which nearly all words are sung is an | opera
A large group of musicians led by a conductor is an | orchestra | choir
A group of singers is a | choir
A piece of music for an orchestra in several movements is a | symphony
The speed of a piece of music is the | tempo
A dance theatre with music and no words is a | ballet
The hero's enemy in a story is the | villain
A speech by one actor alone on the stage is a | monologue
A story that is set in an unpleasant imagined future is a | dystopia
A work that mocks people's faults is a | satire
The place and time of a story are called the | setting
Words at the ends of lines that sound alike are called | rhymes
== history and society
The time before writing is called | prehistory
The rebirth of art and learning in Europe after 1400 is the | Renaissance
The movement that split the church in Luther's time is the | Reformation
The age of reason in the eighteenth century is the | Enlightenment
The rise of factories and steam power is the | Industrial Revolution
The rivalry of the United States and the Soviet Union after 1945 is the | Cold War
The separation of races by law in South Africa was called | apartheid
A system of lords, vassals and serfs is called | feudalism
A peasant bound to the land of a lord was a | serf | slave
A person who is owned by another is a | slave | serf
The buying and selling of goods between countries is | trade
Moving from the countryside to cities on a large scale is called | urbanization
A person who digs up the remains of past peoples is an | archaeologist
A person who studies cultures and customs is an | anthropologist
A person who makes maps is a | cartographer
A person forced to flee from their country is a | refugee
The scientific study of populations is called | demography
The spread of people from their homeland over the world is a | diaspora
A war between groups of the same country is a | civil war
The end of fighting by agreement for a time is a | truce
"""


def terms(rng: random.Random) -> list[Row]:
    """Give a definition and ask for the word."""
    return sections(rng, TERMS)


TASKS: dict[str, Generator] = {"people": people, "works": works, "events": events, "terms": terms}
